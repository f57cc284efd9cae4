#include "app/local_backend.h"

#include <future>
#include <utility>

#include "net/uri.h"

namespace perdure::app {

LocalBackend::LocalBackend(Assembly& assembly, std::string options)
    : assembly_(assembly), handler_(assembly.handler()), options_(std::move(options)) {}

bool LocalBackend::has_workers() const { return assembly_.is_listening(); }

Result<net::ClientResponse> LocalBackend::request(std::string_view method, std::string_view target,
                                                  const net::Fields& headers,
                                                  std::string_view body) {
  auto parts = net::parse_target(target);
  if (!parts) return std::unexpected(parts.error());
  net::Request request{.method = std::string(method),
                       .target = std::move(parts->origin_form),
                       .path = std::move(parts->path),
                       .query_parameters = std::move(parts->query),
                       .path_parameters = {},
                       .headers = headers,
                       .body = std::string(body),
                       .peer = "127.0.0.1"};
  // Shared, because the answer may be told on another thread after this one has gone on.
  const auto promise = std::make_shared<std::promise<net::Response>>();
  auto future = promise->get_future();
  handler_(std::move(request), net::Responder::into([promise](net::Response response) {
             promise->set_value(std::move(response));
           }));
  net::Response response = future.get();
  return net::ClientResponse{response.status, std::move(response.headers),
                             std::move(response.body)};
}

} // namespace perdure::app
