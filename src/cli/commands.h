// Commands that speak the API. Each writes its answer to the output and returns the exit code.
#pragma once

#include <functional>

#include "base/time.h"
#include "cli/api_client.h"
#include "cli/arguments.h"
#include "cli/output.h"

namespace perdure::cli {

/// Waits at most so long, less when something may have happened; true when the user wants to stop.
using Pause = std::function<bool(Duration limit)>;

[[nodiscard]] ExitCode deploy(const DeployCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode start(const StartCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode run(const RunCommand& command, ApiClient& api, Output& output,
                           const Pause& pause);

[[nodiscard]] ExitCode list_instances(const ListInstancesCommand& command, ApiClient& api,
                                      Output& output);
[[nodiscard]] ExitCode show(const ShowCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode history(const HistoryCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode list_audit(const AuditCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode list_tasks(const ListTasksCommand& command, ApiClient& api, Output& output);

[[nodiscard]] ExitCode send_message(const MessageCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode send_signal(const SignalCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode offer_conditions(const ConditionsCommand& command, ApiClient& api,
                                        Output& output);
[[nodiscard]] ExitCode throw_event(const ThrowCommand& command, ApiClient& api, Output& output);

[[nodiscard]] ExitCode complete(const CompleteCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode retry(const RetryCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode cancel(const CancelCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode pause(const PauseCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode resume(const ResumeCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode set_variables(const SetCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode restart(const RestartCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode skip_step(const SkipStepCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode migrate_instance(const MigrateInstanceCommand& command, ApiClient& api,
                                        Output& output);
/// Tells each refused instance with its reason and goes on with the others.
[[nodiscard]] ExitCode migrate_instances(const MigrateInstancesCommand& command, ApiClient& api,
                                         Output& output);
[[nodiscard]] ExitCode choose(const ChooseCommand& command, ApiClient& api, Output& output);
[[nodiscard]] ExitCode modify(const ModifyCommand& command, ApiClient& api, Output& output);

} // namespace perdure::cli
