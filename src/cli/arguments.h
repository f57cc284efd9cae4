// Arguments: the command line as plain values. One struct a command; nothing here does anything.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/key.h"
#include "cli/exit_code.h"
#include "perdure/result.h"
#include "perdure/value.h"

namespace perdure::cli {

/// Options that every command knows.
struct Common {
  std::optional<std::string> data;     ///< folder of the database
  std::optional<std::string> database; ///< sqlite:DIR or postgres://...
  std::optional<std::string> server;   ///< URL of a running server
  std::optional<std::string> config;   ///< configuration file
  bool json = false;                   ///< answers for programs
};

struct ServeCommand {
  std::optional<std::string> host;
  std::optional<std::uint16_t> port;
};

struct RunCommand {
  std::string file;
  std::vector<std::string> with; ///< files that are deployed with it
  Object variables;
  std::optional<std::string> process; ///< which one, when the file holds several
  std::optional<std::string> business_key;
  bool watch = false;
};

struct DeployCommand {
  std::vector<std::string> files;
};

struct StartCommand {
  std::string process; ///< process id, or key of one version
  Object variables;
  std::optional<std::string> business_key;
  std::optional<std::string> idempotency_key;
  std::optional<std::string> start_node; ///< the start event, when there are several
};

struct MessageCommand {
  std::string name;
  std::optional<std::string> key;
  Object variables;
  std::optional<std::string> message_id;
  std::optional<std::int64_t> time_to_live_ms;
  bool refuse_ambiguous = false;
  bool once_per_key = false;
};

struct SignalCommand {
  std::string name;
  Object variables;
};

/// Variables that begin the processes whose conditions they make true.
struct ConditionsCommand {
  std::optional<std::string> business_key;
  std::optional<std::string> idempotency_key;
  Object variables;
};

/// An error of the model's own, or an escalation, from a worker.
struct ThrowCommand {
  bool is_error = true;
  Key task_id = kNoKey;
  std::string worker;
  std::string code;
  std::optional<std::string> message;
  Object variables;
};

struct ListInstancesCommand {
  std::optional<std::string> process;
  std::optional<std::string> status;
  std::optional<std::string> business_key;
  bool incidents = false;
  std::optional<Key> parent_id; ///< only those that this instance has called
  std::int64_t limit = 100;
};

struct AuditCommand {
  std::optional<Key> instance_id;
  std::optional<std::string> actor;
  std::optional<std::string> action;
  std::int64_t limit = 100;
};

/// Begins activities of an ad hoc sub-process.
struct ChooseCommand {
  Key instance_id = kNoKey;
  std::vector<std::string> activities;
  std::optional<Key> scope_id; ///< absent: the only open one
  Object variables;
};

struct ShowCommand {
  Key instance_id = kNoKey;
  std::int64_t limit = 100; ///< steps
  std::int64_t after = 0;   ///< ordinal of the last one seen
};

struct HistoryCommand {
  Key instance_id = kNoKey;
};

struct ListTasksCommand {
  std::optional<std::string> kind; ///< "user" or "external"; both when absent
  std::optional<Key> instance_id;
  std::int64_t limit = 100;
};

struct CompleteCommand {
  Key task_id = kNoKey;
  Object variables;
};

struct RetryCommand {
  std::optional<Key> instance_id;
  std::optional<Key> incident_id;
  std::int64_t retries = 1;
  Object variables; ///< corrections
};

struct CancelCommand {
  Key instance_id = kNoKey;
  std::optional<std::string> reason;
};

struct PauseCommand {
  Key instance_id = kNoKey;
  std::optional<std::string> reason;
};

struct ResumeCommand {
  Key instance_id = kNoKey;
};

struct SetCommand {
  Key instance_id = kNoKey;
  std::optional<Key> scope_id; ///< exactly there
  Object variables;
};

/// Starts come first, in this order, then what ends.
struct ModifyCommand {
  Key instance_id = kNoKey;
  std::vector<std::string> before;        ///< elements
  std::vector<std::string> after;         ///< elements
  std::vector<std::string> cancel;        ///< elements
  std::vector<std::string> cancel_tokens; ///< keys
  std::optional<Key> scope_id;            ///< of the starts
  Object variables;
  bool dry_run = false;
};

struct RestartCommand {
  Key instance_id = kNoKey;
  std::vector<std::string> before; ///< elements
  Object variables;                ///< corrections
  // Of a flow, instead: one of three places.
  std::optional<std::string> from_step;
  bool from_failure = false;
  bool from_beginning = false;
  std::optional<Value> input; ///< an object
  bool insist = false;
  bool latest = false;
  std::optional<std::string> reason;
};

/// Gives an open step of a flow its result.
struct SkipStepCommand {
  Key instance_id = kNoKey;
  std::string step;
  std::optional<Value> result;
  std::optional<std::string> reason;
};

/// The version that instances are to go on with.
struct MigrationTarget {
  std::optional<std::int64_t> version;
  std::optional<Key> definition_id; ///< instead of the number
  Object mapping;                   ///< new ids by old ones
  bool dry_run = false;
};

struct MigrateInstanceCommand {
  Key instance_id = kNoKey;
  MigrationTarget target;
};

/// Every instance of a process that runs with one version, portion by portion.
struct MigrateInstancesCommand {
  std::string process_id;
  std::int64_t from_version = 0;
  MigrationTarget target;
};

struct MigrateCommand {
  bool status = false; ///< only say what is applied and what is pending
};

struct CheckCommand {};

struct PurgeCommand {
  bool dry_run = false;                  ///< only say what would go
  std::optional<std::string> process;    ///< only instances of this one
  std::optional<std::string> older_than; ///< ended so long ago, as "P30D"; else as configured
  std::optional<std::string> before;     ///< ended before this time
};

struct BackupCommand {
  std::string to; ///< file
};

struct RestoreCommand {
  std::string from; ///< file
  std::string to;   ///< sqlite:DIR or postgres://...
};

struct TransferCommand {
  std::string from; ///< sqlite:DIR or postgres://...
  std::string to;   ///< likewise
};

struct DemoCommand {
  bool exit = false; ///< end when all orders are done
  std::optional<std::uint16_t> port;
};

/// FEEL on the command line, or one expression a line from standard input.
struct EvalCommand {
  std::string expression;             ///< empty with `lines`
  std::optional<std::string> context; ///< JSON file
  Object variables;                   ///< added to the context
  std::optional<Value> unary_input;   ///< the expression is a unary test of it
  bool lines = false;                 ///< --ndjson
};

struct DecideCommand {
  std::string file;
  std::vector<std::string> imports; ///< files of the models that it imports
  std::optional<std::string> decision;
  Object variables;
};

/// Runs a user's program that reports on stored runs instead of working.
struct FlowVerifyCommand {
  std::vector<std::string> program; ///< with its arguments
  std::int64_t ended = 0;           ///< so many runs of each flow that have ended too
};

/// What flows the database knows.
struct FlowListCommand {};

struct VersionCommand {};

using Command =
    std::variant<ServeCommand, RunCommand, DeployCommand, StartCommand, MessageCommand,
                 SignalCommand, ConditionsCommand, ThrowCommand, ListInstancesCommand, ShowCommand,
                 HistoryCommand, ListTasksCommand, CompleteCommand, RetryCommand, CancelCommand,
                 PauseCommand, ResumeCommand, SetCommand, ModifyCommand, RestartCommand,
                 SkipStepCommand, AuditCommand, ChooseCommand, MigrateInstanceCommand,
                 MigrateInstancesCommand, MigrateCommand, CheckCommand, PurgeCommand, BackupCommand,
                 RestoreCommand, TransferCommand, DemoCommand, EvalCommand, DecideCommand,
                 FlowVerifyCommand, FlowListCommand, VersionCommand>;

struct Arguments {
  Common common;
  Command command;
};

/// No command to run: help was asked for (ok, for stdout) or the line is wrong (usage, for stderr).
struct NoCommand {
  ExitCode code = ExitCode::usage;
  std::string text; ///< ends with a new line
};

/// Reads `arguments`, without the program's name.
[[nodiscard]] std::expected<Arguments, NoCommand> parse_arguments(
    const std::vector<std::string>& arguments);

/// "amount=120" -> {"amount", 120}. The value is read as JSON when it is JSON, else taken as a
/// string. Errors: no "=", no name before it, or a value that begins as an object, a list or a
/// quoted string and is not JSON: a slip, not a string that someone meant.
[[nodiscard]] Result<std::pair<std::string, Value>> parse_variable(const std::string& text);

/// The value as JSON when it reads as JSON, else as a string; the error of parse_variable() names
/// `option`.
[[nodiscard]] Result<Value> parse_value(const std::string& text, const std::string& option);

} // namespace perdure::cli
