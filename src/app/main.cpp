// The program: reads the command line, builds what the command needs, runs it.
#include <cstdio>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "app/config.h"
#include "app/decide.h"
#include "app/demo.h"
#include "app/eval.h"
#include "app/flow_list.h"
#include "app/flow_verify.h"
#include "app/log.h"
#include "app/maintenance.h"
#include "app/purge.h"
#include "app/serve.h"
#include "app/session.h"
#include "app/signals.h"
#include "app/surroundings.h"
#include "app/system_clock.h"
#include "app/transfer.h"
#include "app/version.h"
#include "cli/arguments.h"
#include "cli/commands.h"

namespace perdure::app {

namespace {

using cli::ExitCode;

ExitCode print_version(cli::Output& output) {
  const std::string text(version());
  if (output.json())
    output.print_json(Object{{"version", text}});
  else
    output.print("perdure " + text + "\n");
  return ExitCode::ok;
}

template <class Command>
constexpr Access access_of() {
  if constexpr (std::is_same_v<Command, cli::RunCommand> ||
                std::is_same_v<Command, cli::DeployCommand>) {
    return Access::create;
  } else if constexpr (std::is_same_v<Command, cli::ListInstancesCommand> ||
                       std::is_same_v<Command, cli::ShowCommand> ||
                       std::is_same_v<Command, cli::HistoryCommand> ||
                       std::is_same_v<Command, cli::AuditCommand> ||
                       std::is_same_v<Command, cli::ListTasksCommand>) {
    return Access::read;
  } else {
    return Access::write;
  }
}

ExitCode run_model(const cli::RunCommand& command, Session& session, cli::ApiClient& api,
                   const Config& config, Surroundings& surroundings) {
  auto& output = surroundings.output;
  if (command.watch && session.assembly) { // so that workers and other commands can bring it on
    const auto url = session.assembly->listen(config.host, config.port_is_chosen ? config.port : 0);
    if (!url) return cli::report(output, cli::to_failure(url.error()));
    if (!output.json()) output.print("Workers can connect to " + *url + "\n");
  }
  return cli::run(command, api, output,
                  [&](Duration limit) { return surroundings.stop.wait_for(limit); });
}

/// Commands that speak the API, to a server or in this process.
template <class Command>
ExitCode run_at_backend(const Command& command, const Config& config, Surroundings& surroundings) {
  auto& output = surroundings.output;
  auto session = open_session(config, access_of<Command>(), surroundings);
  if (!session) return cli::report(output, cli::to_failure(session.error()));
  cli::ApiClient api(*session->backend);
  if constexpr (std::is_same_v<Command, cli::RunCommand>) {
    return run_model(command, *session, api, config, surroundings);
  } else if constexpr (std::is_same_v<Command, cli::DeployCommand>) {
    return cli::deploy(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::StartCommand>) {
    return cli::start(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::MessageCommand>) {
    return cli::send_message(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::SignalCommand>) {
    return cli::send_signal(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::ConditionsCommand>) {
    return cli::offer_conditions(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::ThrowCommand>) {
    return cli::throw_event(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::ListInstancesCommand>) {
    return cli::list_instances(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::ShowCommand>) {
    return cli::show(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::HistoryCommand>) {
    return cli::history(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::ListTasksCommand>) {
    return cli::list_tasks(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::AuditCommand>) {
    return cli::list_audit(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::ChooseCommand>) {
    return cli::choose(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::CompleteCommand>) {
    return cli::complete(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::RetryCommand>) {
    return cli::retry(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::CancelCommand>) {
    return cli::cancel(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::PauseCommand>) {
    return cli::pause(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::ResumeCommand>) {
    return cli::resume(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::SetCommand>) {
    return cli::set_variables(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::RestartCommand>) {
    return cli::restart(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::SkipStepCommand>) {
    return cli::skip_step(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::MigrateInstanceCommand>) {
    return cli::migrate_instance(command, api, output);
  } else if constexpr (std::is_same_v<Command, cli::MigrateInstancesCommand>) {
    return cli::migrate_instances(command, api, output);
  } else {
    static_assert(std::is_same_v<Command, cli::ModifyCommand>);
    return cli::modify(command, api, output);
  }
}

/// A server tells what it does; other commands only what went wrong.
LogLevel log_level(const cli::Command& command, const Config& config) {
  if (std::holds_alternative<cli::ServeCommand>(command)) return config.log_level;
  return config.log_level == LogLevel::debug ? LogLevel::debug : LogLevel::error;
}

ExitCode run_command(const cli::Arguments& arguments, cli::Output& output) {
  if (std::holds_alternative<cli::VersionCommand>(arguments.command)) return print_version(output);
  const auto config = load_config(arguments.common);
  if (!config) {
    output.complain(config.error().message);
    return ExitCode::usage;
  }
  StopSignal stop; // before any thread
  SystemClock clock;
  LineLog log(stderr, clock, config->log_format, log_level(arguments.command, *config));
  Surroundings surroundings{output, log, clock, stop};
  return std::visit(
      [&]<class Command>(const Command& command) {
        if constexpr (std::is_same_v<Command, cli::ServeCommand>) {
          return run_serve(command, *config, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::DemoCommand>) {
          return run_demo(command, *config, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::MigrateCommand>) {
          return run_migrate(command, *config, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::CheckCommand>) {
          return run_check(*config, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::EvalCommand>) {
          return run_eval(command, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::DecideCommand>) {
          return run_decide(command, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::FlowVerifyCommand>) {
          return run_flow_verify(command, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::FlowListCommand>) {
          return run_flow_list(*config, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::PurgeCommand>) {
          return run_purge(command, *config, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::BackupCommand>) {
          return run_backup(command, *config, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::RestoreCommand>) {
          return run_restore(command, *config, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::TransferCommand>) {
          return run_transfer(command, *config, surroundings);
        } else if constexpr (std::is_same_v<Command, cli::VersionCommand>) {
          return print_version(output);
        } else {
          return run_at_backend(command, *config, surroundings);
        }
      },
      arguments.command);
}

int run_program(const std::vector<std::string>& line) {
  const auto arguments = cli::parse_arguments(line);
  if (!arguments) {
    const auto& [code, text] = arguments.error();
    std::fputs(text.c_str(), code == ExitCode::ok ? stdout : stderr);
    return static_cast<int>(code);
  }
  cli::Output output(stdout, stderr, arguments->common.json);
  return static_cast<int>(run_command(*arguments, output));
}

} // namespace

} // namespace perdure::app

int main(int argc, char** argv) { return perdure::app::run_program({argv + 1, argv + argc}); }
