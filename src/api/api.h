// Api: the native HTTP interface under /api/v1. Turns requests into commands of the engine and
// queries of the reader, and what they say into answers. Its table of routes is in routes.cpp, its
// contract in openapi.yaml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/request.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "net/responder.h"
#include "perdure/result.h"
#include "store/store.h"

namespace perdure::api {

/// A line of /metrics.
struct Figure {
  std::string_view name;
  std::string_view help;
  std::int64_t value = 0;
  bool is_gauge = false; ///< a state that goes up and down, not a count
};

struct Options {
  std::string version = "0.0.0"; ///< of the program, shown to whoever asks
  Limits limits;
  std::size_t reader_threads = 2;
  std::size_t reader_queue = 4'096; ///< requests that may wait for a reader thread; above it 503
  /// What readyz asks beside the database, e.g. whether migrations are pending: members of its
  /// answer. May be empty.
  std::function<Result<Object>()> ready;
  /// Figures of the database, for /metrics. From any thread, at once. May be empty.
  std::function<std::vector<Figure>()> figures;
};

struct Parts;

/// Goes after the server that calls its handler and after engine.stop(), before engine, reader and
/// clock.
class Api {
public:
  Api(engine::Engine& engine, store::Reader& reader, Clock& clock, Options options);
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  /// For the server: never blocks, may be called from any thread.
  [[nodiscard]] net::Handler handler() const;

private:
  std::shared_ptr<Parts> parts_;
};

/// A line of the table of routes, for tests and tools.
struct RouteName {
  std::string_view method;
  std::string_view pattern;
};
[[nodiscard]] std::vector<RouteName> route_names();

} // namespace perdure::api
