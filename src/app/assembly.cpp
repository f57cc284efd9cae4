#include "app/assembly.h"

#include <filesystem>
#include <utility>

#include "app/version.h"
#include "base/check.h"
#include "bpmn/read.h"
#include "net/local_names.h"
#include "store/sqlite/sqlite.h"

namespace perdure::app {

namespace {

std::expected<engine::Compiled, std::vector<definition::Diagnostic>> compile(
    std::string_view source, std::string_view resource_name) {
  auto deployment = bpmn::read(source, resource_name);
  if (!deployment) return std::unexpected(std::move(deployment.error()));
  engine::Compiled compiled;
  for (auto& process : deployment->processes) {
    compiled.processes.push_back(std::move(process.definition));
  }
  compiled.warnings = std::move(deployment->diagnostics);
  return compiled;
}

std::string folder_of(const std::string& file) {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

Result<void> require_database(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return {};
  return fail(ErrorCode::unavailable,
              "there is no database " + file +
                  "; name its folder with --data, or make one with \"perdure deploy\", \"run\" or "
                  "\"serve\"",
              file);
}

} // namespace

Result<std::unique_ptr<Assembly>> Assembly::open(const AssemblyOptions& options, Clock& clock,
                                                 Log& log) {
  if (options.access != Access::create) {
    const auto exists = require_database(options.file);
    if (!exists) return std::unexpected(exists.error());
  }
  std::unique_ptr<Assembly> assembly(new Assembly(options, log));
  if (options.access != Access::read) {
    auto lock = store::sqlite::OwnerLock::take(folder_of(options.file));
    if (!lock) return std::unexpected(lock.error());
    assembly->lock_ = std::move(*lock);
  }
  const bool migrate = options.migrate && options.access != Access::read;
  auto database = store::sqlite::open(
      {.path = options.file,
       .migrate = migrate ? store::sqlite::Migrate::apply : store::sqlite::Migrate::refuse},
      clock);
  if (!database) return std::unexpected(database.error());
  assembly->reader_ = std::move(database->reader);
  engine::Options engine_options;
  engine_options.handler_threads = options.handler_threads;
  assembly->engine_ = std::make_unique<engine::Engine>(std::move(database->store), compile, clock,
                                                       log, std::move(engine_options));
  api::Options api_options;
  api_options.version = version();
  assembly->api_ = std::make_unique<api::Api>(*assembly->engine_, *assembly->reader_, clock,
                                              std::move(api_options));
  return assembly;
}

Assembly::~Assembly() { stop(); }

Result<void> Assembly::start() {
  PERDURE_CHECK(lock_.has_value());
  return engine_->start();
}

Result<std::string> Assembly::listen(const std::string& host, std::uint16_t port) {
  auto server =
      net::Server::listen({.host = host,
                           .port = port,
                           .max_body_bytes = options_.max_body_bytes,
                           .max_connections = options_.max_connections,
                           .log = &log_},
                          net::is_loopback(host) ? net::only_local_names(handler()) : handler());
  if (!server) return std::unexpected(server.error());
  server_ = std::move(*server);
  const auto told = lock_->set_url(server_->url());
  if (!told) return std::unexpected(told.error());
  return server_->url();
}

void Assembly::stop() {
  // A worker that waits for tasks would hold the server up, and be cut off in the end.
  if (server_) engine_->end_waits();
  if (server_) server_->stop();
  if (engine_) engine_->stop();
}

} // namespace perdure::app
