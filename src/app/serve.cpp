#include "app/serve.h"

#include "app/session.h"
#include "app/version.h"
#include "cli/api_client.h"

namespace perdure::app {

cli::ExitCode run_serve(const cli::ServeCommand& command, Config config,
                        Surroundings& surroundings) {
  auto& output = surroundings.output;
  if (command.host) config.host = *command.host;
  if (command.port) config.port = *command.port;
  auto assembly = Assembly::open(assembly_options(config, Access::create), surroundings.clock,
                                 surroundings.log);
  if (!assembly) return cli::report(output, cli::to_failure(assembly.error()));
  const auto started = (*assembly)->start();
  if (!started) return cli::report(output, cli::to_failure(started.error()));
  const auto url = (*assembly)->listen(config.host, config.port);
  if (!url) {
    const auto code = cli::report(output, cli::to_failure(url.error()));
    return url.error().code == ErrorCode::invalid_input ? cli::ExitCode::usage : code;
  }

  if (output.json()) {
    output.print_json(Object{{"url", *url}, {"database", (*assembly)->place()}});
  } else {
    output.print("Perdure " + std::string(version()) + " serves " + (*assembly)->place() + " at " +
                 *url + "\n");
  }
  surroundings.log.write(LogLevel::info, "started",
                         {{"url", *url}, {"database", (*assembly)->place()}});
  surroundings.stop.wait();
  surroundings.log.write(LogLevel::info, "stopping", {});
  (*assembly)->stop();
  surroundings.log.write(LogLevel::info, "stopped", {});
  return cli::ExitCode::ok;
}

} // namespace perdure::app
