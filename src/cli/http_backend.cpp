#include "cli/http_backend.h"

#include <utility>

namespace perdure::cli {

HttpBackend::HttpBackend(const std::string& url, std::string options)
    : client_(url), options_(std::move(options)) {}

Result<net::ClientResponse> HttpBackend::request(std::string_view method, std::string_view target,
                                                 const net::Fields& headers,
                                                 std::string_view body) {
  return client_.request(method, target, headers, body);
}

} // namespace perdure::cli
