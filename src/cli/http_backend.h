// HttpBackend: a running server.
#pragma once

#include <string>

#include "cli/backend.h"
#include "net/client.h"

namespace perdure::cli {

class HttpBackend final : public Backend {
public:
  /// `url`: "http://host:port". `options`: what a person writes to reach it again.
  HttpBackend(const std::string& url, std::string options);
  [[nodiscard]] Result<net::ClientResponse> request(std::string_view method,
                                                    std::string_view target,
                                                    const net::Fields& headers,
                                                    std::string_view body) override;
  [[nodiscard]] std::string options() const override { return options_; }
  [[nodiscard]] bool has_workers() const override { return true; }

private:
  net::Client client_;
  std::string options_;
};

} // namespace perdure::cli
