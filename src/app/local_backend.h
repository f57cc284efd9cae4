// LocalBackend: the API of a database in this process, called without a socket.
#pragma once

#include <string>

#include "app/assembly.h"
#include "cli/backend.h"

namespace perdure::app {

class LocalBackend final : public cli::Backend {
public:
  /// `options`: what makes another command talk to the same database. The assembly must outlive it.
  LocalBackend(Assembly& assembly, std::string options);
  [[nodiscard]] Result<net::ClientResponse> request(std::string_view method,
                                                    std::string_view target,
                                                    const net::Fields& headers,
                                                    std::string_view body) override;
  [[nodiscard]] std::string options() const override { return options_; }
  /// Workers can come while it listens.
  [[nodiscard]] bool has_workers() const override;

private:
  Assembly& assembly_;
  net::Handler handler_;
  std::string options_;
};

} // namespace perdure::app
