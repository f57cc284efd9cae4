// Router: a table of routes -> the handler of a request. Built once, then only read.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "net/responder.h"

namespace perdure::net {

struct Route {
  std::string method; ///< "GET"; a GET route answers HEAD as well
  std::string
      pattern; ///< "/instances/{id}/steps"; "{rest...}" as last segment takes all that is left
  Handler handler;
};

/// Literal segments win over parameters, parameters over "{rest...}". Thread-safe. Give the server
/// `std::ref(router)` as its handler.
class Router {
public:
  /// Two routes for the same requests, or a pattern that is none, are a bug.
  explicit Router(std::vector<Route> routes);
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  /// The table in the order given.
  [[nodiscard]] const std::vector<Route>& routes() const { return routes_; }

  enum class Outcome { found, no_path, no_method };
  struct Match {
    Outcome outcome = Outcome::no_path;
    const Route* route = nullptr; ///< when found
    Fields path_parameters;       ///< when found; decoded
    std::string allow;            ///< when no_method: "GET, HEAD, POST"
  };
  /// `raw_path` is still percent-encoded, so that an encoded slash stays inside its segment.
  [[nodiscard]] Match match(std::string_view method, std::string_view raw_path) const;

  /// Calls the handler, or answers 404, 405 with Allow, or 204 with Allow to an OPTIONS request.
  void operator()(Request request, const Responder& responder) const;

private:
  struct Node;
  std::vector<Route> routes_;
  std::unique_ptr<Node> root_;
};

} // namespace perdure::net
