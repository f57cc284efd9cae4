// Parts: what every route works with. Shared by the answers still under way.
#pragma once

#include <memory>
#include <utility>

#include "api/api.h"
#include "api/work_pool.h"
#include "net/http.h"
#include "net/responder.h"

namespace perdure::api {

struct Parts {
  Parts(engine::Engine& its_engine, store::Reader& its_reader, Clock& its_clock,
        Options its_options)
      : engine(its_engine),
        reader(its_reader),
        clock(its_clock),
        options(std::move(its_options)),
        pool(options.reader_threads, options.reader_queue) {}

  engine::Engine& engine;
  store::Reader& reader;
  Clock& clock;
  const Options options;
  WorkPool pool;

  [[nodiscard]] const Limits& limits() const { return options.limits; }
};
using PartsPtr = std::shared_ptr<Parts>;

/// Reads and answers, on a thread of the pool.
using Query = net::Response (*)(Parts& parts, const net::Request& request);
/// Reads its request and hands a command to the engine, whose reply answers. On the server's
/// thread, or on one of the pool when the body is large.
using Command = void (*)(const PartsPtr& parts, const net::Request& request,
                         const net::Responder& responder);

} // namespace perdure::api
