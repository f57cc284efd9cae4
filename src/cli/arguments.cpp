// The grammar of the command line. CLI11 is seen by this file only: it is large.
#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"

namespace perdure::cli {

namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not found, 4 server or database "
    "not\n"
    "reachable, 5 check found a difference, 6 run waits for a worker or a person, 130 interrupted.";

constexpr const char* kCommonOptions =
    "Every command also takes --data DIR, --database URL, --server URL, --config FILE and --json: "
    "see\n\"perdure --help\".";

/// What CLI11 writes into: texts that become variables and keys only once the line is accepted.
struct Texts {
  std::vector<std::string> variables;
  std::string instance_id;
  std::string task_id;
  std::string incident_id;
  std::string scope_id;
  std::string definition_id;
  std::string parent_id;
  std::string unary_input;
  std::string input;
  std::string result;
};

class Grammar {
public:
  Grammar() {
    app_.name("perdure");
    app_.require_subcommand(1);
    app_.fallthrough(); // common options may stand before and after the command
    app_.set_help_flag("-h,--help", "print this help");
    app_.set_version_flag("--version", "", "print the version; the same as the command `version`");
    app_.footer(kExitCodes);
    app_.add_option("--data", common_.data,
                    "folder of the database DIR/perdure.db (default: perdure in the user's data "
                    "folder)")
        ->type_name("DIR");
    app_.add_option("--database", common_.database,
                    "the database: sqlite:DIR, or postgres://USER@HOST/NAME for many nodes")
        ->type_name("URL");
    app_.add_option("--server", common_.server, "URL of a running server")->type_name("URL");
    app_.add_option("--config", common_.config,
                    "configuration file (default: perdure.toml in the current folder, if there)")
        ->type_name("FILE");
    app_.add_flag("--json", common_.json, "answer in JSON, for programs");
    add_run();
    add_definitions();
    add_events();
    add_queries();
    add_repair();
    add_operations();
    add_database();
    add_decisions();
    add_copies();
    add_flow();
    add_version();
  }

  std::expected<Arguments, NoCommand> parse(std::vector<std::string> arguments) {
    for (const auto& argument : arguments) {
      if (!utf8::is_valid(argument)) return refuse("an argument is not valid UTF-8");
    }
    std::ranges::reverse(arguments); // as CLI11 takes them
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
      return std::unexpected(NoCommand{ExitCode::ok, app_.help()});
    } catch (const CLI::CallForVersion&) {
      return Arguments{common_, VersionCommand{}};
    } catch (const CLI::ParseError& error) {
      return refuse(reason_of(error));
    }
    if (common_.database && (common_.data || common_.server)) {
      return refuse("--database cannot be used with --data or --server; name one of them");
    }
    if (common_.data && common_.server) {
      return refuse("--data and --server cannot be used together; name a folder or a server");
    }
    if (common_.server && works_on_folder()) {
      return refuse("this command works on a folder; name it with --data instead of --server");
    }
    return take();
  }

private:
  CLI::App* add(const char* name, const char* description, std::function<void()> chosen) {
    auto* command = app_.add_subcommand(name, description);
    command->footer(kCommonOptions);
    command->final_callback(std::move(chosen));
    return command;
  }

  void add_variables(CLI::App* command) {
    command
        ->add_option("--var", texts_.variables,
                     "variable; VALUE is JSON when it reads as JSON, else a string; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
  }

  void add_run() {
    auto* serve = add("serve", "run the engine and its HTTP server", [this] { command_ = serve_; });
    serve->add_option("--host", serve_.host, "address to listen at (default: 127.0.0.1)");
    serve->add_option("--port", serve_.port, "port to listen at, 0 for any (default: 8080)")
        ->check(CLI::Range(0, 65535));

    auto* demo = add("demo", "run ten orders with workers inside, then keep serving",
                     [this] { command_ = demo_; });
    demo->add_flag("--exit", demo_.exit, "end when all orders are done");
    demo->add_option("--port", demo_.port, "port to listen at, 0 for any (default: 8080)")
        ->check(CLI::Range(0, 65535));

    auto* run = add("run", "deploy a model, start it and show its steps as they happen",
                    [this] { command_ = run_; });
    run->add_option("file", run_.file, "BPMN file")->required()->type_name("FILE");
    run->add_option("--with", run_.with, "file to deploy with it, such as a DMN file (repeat)")
        ->type_name("FILE");
    run->add_option("--process", run_.process, "process id, when the file holds several")
        ->type_name("ID");
    run->add_option("--business-key", run_.business_key, "business key of the instance")
        ->type_name("KEY");
    run->add_flag("--watch", run_.watch, "stay until the instance has ended");
    add_variables(run);
  }

  void add_definitions() {
    auto* deploy =
        add("deploy", "deploy BPMN and DMN files, all or none", [this] { command_ = deploy_; });
    deploy->add_option("files", deploy_.files, "BPMN and DMN files")->required()->type_name("FILE");

    auto* start = add("start", "start an instance of a process", [this] { command_ = start_; });
    start->add_option("process", start_.process, "process id (latest version) or definition key")
        ->required()
        ->type_name("PROCESS");
    start->add_option("--business-key", start_.business_key, "business key of the instance")
        ->type_name("KEY");
    start
        ->add_option("--idempotency-key", start_.idempotency_key,
                     "sent twice, the second start returns the first instance")
        ->type_name("KEY");
    start
        ->add_option("--start-node", start_.start_node,
                     "the start event that begins, when there are several")
        ->type_name("ID");
    add_variables(start);
  }

  void add_events() {
    auto* message = add("message", "send a message to whoever waits for it", [this] {
      message_.variables = variables();
      command_ = message_;
    });
    message->add_option("name", message_.name, "name of the message")->required();
    message->add_option("--key", message_.key, "correlation key")->type_name("KEY");
    message->add_option("--id", message_.message_id, "a second one with the same id has no effect")
        ->type_name("ID");
    message
        ->add_option("--ttl", message_.time_to_live_ms,
                     "how long it waits for a receiver (default: one hour)")
        ->type_name("MS")
        ->check(CLI::NonNegativeNumber);
    message->add_flag("--refuse-ambiguous", message_.refuse_ambiguous,
                      "refuse it when more than one could have it");
    message->add_flag("--once-per-key", message_.once_per_key,
                      "refuse a second start with the same key");
    add_variables(message);

    auto* signal = add("signal", "send a signal to all who wait for it", [this] {
      signal_.variables = variables();
      command_ = signal_;
    });
    signal->add_option("name", signal_.name, "name of the signal")->required();
    add_variables(signal);

    auto* conditions = add("conditions", "begin the processes whose conditions hold", [this] {
      conditions_.variables = variables();
      command_ = conditions_;
    });
    conditions
        ->add_option("--business-key", conditions_.business_key,
                     "business key of each instance that begins")
        ->type_name("KEY");
    conditions
        ->add_option("--idempotency-key", conditions_.idempotency_key,
                     "sent twice, the second has the answer of the first")
        ->type_name("KEY");
    add_variables(conditions);

    auto* error = add("throw-error", "report an error of the model's own for a locked task",
                      [this] { choose_throw(true); });
    error->add_option("--message", throw_.message, "what went wrong")->type_name("TEXT");
    add_throw(error);
    add_throw(add("throw-escalation", "report an escalation for a locked task",
                  [this] { choose_throw(false); }));
  }

  void choose_throw(bool is_error) {
    throw_.is_error = is_error;
    throw_.task_id = key(texts_.task_id, "task");
    throw_.variables = variables();
    command_ = throw_;
  }

  void add_throw(CLI::App* command) {
    command->add_option("task", texts_.task_id, "id of an external task")
        ->required()
        ->type_name("TASK_ID");
    command->add_option("code", throw_.code, "what the event that catches it is told by")
        ->required()
        ->type_name("CODE");
    command->add_option("--worker", throw_.worker, "the worker that has locked the task")
        ->required()
        ->type_name("ID");
    add_variables(command);
  }

  void add_queries() {
    auto* list = add("ps", "list instances, newest first", [this] {
      if (!texts_.parent_id.empty()) list_instances_.parent_id = key(texts_.parent_id, "instance");
      command_ = list_instances_;
    });
    list->add_option("--process", list_instances_.process, "only this process")->type_name("ID");
    list->add_option("--status", list_instances_.status, "only this status")
        ->check(
            CLI::IsMember({"pending", "running", "paused", "completed", "failed", "cancelled"}));
    list->add_option("--business-key", list_instances_.business_key, "only this business key")
        ->type_name("KEY");
    list->add_option("--parent", texts_.parent_id, "only those that this instance has called")
        ->type_name("ID");
    list->add_flag("--incidents", list_instances_.incidents, "only those with an open incident");
    list->add_option("--limit", list_instances_.limit, "at most so many (default: 100)")
        ->check(CLI::Range(1, 1000));

    auto* show = add("show", "show an instance with its steps and variables", [this] {
      show_.instance_id = key(texts_.instance_id, "instance");
      command_ = show_;
    });
    add_instance(show)->required();
    show->add_option("--limit", show_.limit, "at most so many steps (default: 100)")
        ->check(CLI::Range(1, 1000));
    show->add_option("--after", show_.after, "steps behind that one, by its number")
        ->check(CLI::NonNegativeNumber);

    auto* history = add("history", "list the facts of an instance in order",
                        [this] { command_ = HistoryCommand{key(texts_.instance_id, "instance")}; });
    add_instance(history)->required();

    auto* audit = add("audit", "list what operators did, newest first", [this] {
      if (!texts_.instance_id.empty()) audit_.instance_id = key(texts_.instance_id, "instance");
      command_ = audit_;
    });
    audit->add_option("--instance", texts_.instance_id, "only with this instance")->type_name("ID");
    audit->add_option("--actor", audit_.actor, "only what this one did")->type_name("NAME");
    audit->add_option("--action", audit_.action, "only this, such as cancel_instance")
        ->type_name("NAME");
    audit->add_option("--limit", audit_.limit, "at most so many (default: 100)")
        ->check(CLI::Range(1, 1000));

    auto* tasks = add("tasks", "list open tasks", [this] {
      if (!texts_.instance_id.empty())
        list_tasks_.instance_id = key(texts_.instance_id, "instance");
      command_ = list_tasks_;
    });
    tasks->add_option("--type", list_tasks_.kind, "only tasks for people, or only for workers")
        ->check(CLI::IsMember({"user", "external"}));
    tasks->add_option("--instance", texts_.instance_id, "only of this instance")->type_name("ID");
    tasks->add_option("--limit", list_tasks_.limit, "at most so many (default: 100)")
        ->check(CLI::Range(1, 1000));
  }

  void add_repair() {
    auto* complete = add("complete", "complete a task by hand", [this] {
      command_ = CompleteCommand{key(texts_.task_id, "task"), variables()};
    });
    complete->add_option("task", texts_.task_id, "id of a user or external task")
        ->required()
        ->type_name("TASK_ID");
    add_variables(complete);

    auto* retry = add("retry", "let what is stuck try again", [this] {
      if (texts_.instance_id.empty() == texts_.incident_id.empty()) {
        throw CLI::ValidationError("retry needs an instance, or --incident with an incident");
      }
      if (!texts_.instance_id.empty()) retry_.instance_id = key(texts_.instance_id, "instance");
      if (!texts_.incident_id.empty()) retry_.incident_id = key(texts_.incident_id, "incident");
      retry_.variables = variables();
      command_ = retry_;
    });
    add_instance(retry);
    add_variables(retry);
    retry->add_option("--incident", texts_.incident_id, "only this incident")->type_name("ID");
    retry->add_option("--retries", retry_.retries, "attempts to add (default: 1)")
        ->check(CLI::Range(1, 1000));

    auto* cancel = add("cancel", "cancel a running instance", [this] {
      cancel_.instance_id = key(texts_.instance_id, "instance");
      command_ = cancel_;
    });
    add_instance(cancel)->required();
    cancel->add_option("--reason", cancel_.reason, "why; kept with the instance")
        ->type_name("TEXT");
  }

  void add_operations() {
    auto* pause = add("pause", "hold a running instance: nothing happens in it", [this] {
      pause_.instance_id = key(texts_.instance_id, "instance");
      command_ = pause_;
    });
    add_instance(pause)->required();
    pause->add_option("--reason", pause_.reason, "why; kept with the instance")->type_name("TEXT");

    auto* resume = add("resume", "let a paused instance go on",
                       [this] { command_ = ResumeCommand{key(texts_.instance_id, "instance")}; });
    add_instance(resume)->required();

    auto* set = add("set", "set variables of a running instance", [this] {
      set_.instance_id = key(texts_.instance_id, "instance");
      if (!texts_.scope_id.empty()) set_.scope_id = key(texts_.scope_id, "scope");
      set_.variables = variables();
      if (set_.variables.empty()) throw CLI::ValidationError("set needs at least one --var");
      command_ = set_;
    });
    add_instance(set)->required();
    add_variables(set);
    set->add_option("--scope", texts_.scope_id, "exactly in this scope")->type_name("ID");

    auto* modify = add("modify", "move the tokens of an instance by hand", [this] {
      modify_.instance_id = key(texts_.instance_id, "instance");
      if (!texts_.scope_id.empty()) modify_.scope_id = key(texts_.scope_id, "scope");
      modify_.variables = variables();
      command_ = modify_;
    });
    add_instance(modify)->required();
    add_variables(modify);
    modify->add_option("--before", modify_.before, "a new token comes to this element; repeatable");
    modify->add_option("--after", modify_.after, "a new token leaves this element; repeatable");
    modify->add_option("--cancel", modify_.cancel, "the tokens at this element end; repeatable");
    modify->add_option("--cancel-token", modify_.cancel_tokens, "this token ends; repeatable");
    modify->add_option("--scope", texts_.scope_id, "where to start, if there are several")
        ->type_name("ID");
    modify->add_flag("--dry-run", modify_.dry_run, "only say what would happen");

    add_migration();
    auto* choose = add("choose", "begin activities of an ad hoc sub-process", [this] {
      choose_.instance_id = key(texts_.instance_id, "instance");
      if (!texts_.scope_id.empty()) choose_.scope_id = key(texts_.scope_id, "scope");
      choose_.variables = variables();
      command_ = choose_;
    });
    add_instance(choose)->required();
    choose->add_option("--activity", choose_.activities, "begins; repeatable")->required();
    choose->add_option("--scope", texts_.scope_id, "which one, if several are open")
        ->type_name("ID");
    add_variables(choose);

    add_restart();
  }

  void add_restart() {
    auto* restart =
        add("restart", "begin an instance anew at an element, or a flow at a step", [this] {
          restart_.instance_id = key(texts_.instance_id, "instance");
          restart_.variables = variables();
          if (!texts_.input.empty()) restart_.input = json_of(texts_.input, "--input");
          const int places = (restart_.before.empty() ? 0 : 1) + (restart_.from_step ? 1 : 0) +
                             (restart_.from_failure ? 1 : 0) + (restart_.from_beginning ? 1 : 0);
          if (places != 1) {
            throw CLI::ValidationError(
                "restart needs --before for a process, or one of --from-step, --from-failure and "
                "--from-beginning for a flow");
          }
          command_ = restart_;
        });
    add_instance(restart)->required();
    add_variables(restart);
    restart->add_option("--before", restart_.before, "where the new instance begins; repeatable");
    restart->add_option("--from-step", restart_.from_step, "the step that a flow goes on from")
        ->type_name("NAME");
    restart->add_flag("--from-failure", restart_.from_failure,
                      "only what failed in a flow is done again");
    restart->add_flag("--from-beginning", restart_.from_beginning, "all of a flow is done again");
    restart->add_option("--input", texts_.input, "other input for a flow")->type_name("JSON");
    restart->add_flag("--insist", restart_.insist, "other input, though it goes on in the middle");
    restart->add_flag("--latest", restart_.latest, "with the latest version of the flow");
    restart->add_option("--reason", restart_.reason, "why; kept in the audit")->type_name("TEXT");

    auto* skip = add("skip-step", "give an open step of a flow its result", [this] {
      skip_.instance_id = key(texts_.instance_id, "instance");
      if (!texts_.result.empty()) skip_.result = json_of(texts_.result, "--result");
      command_ = skip_;
    });
    add_instance(skip)->required();
    skip->add_option("step", skip_.step, "name of the step")->required()->type_name("NAME");
    skip->add_option("--result", texts_.result,
                     "what it gives: JSON when it reads as JSON, else a string")
        ->type_name("JSON");
    skip->add_option("--reason", skip_.reason, "why; kept in the audit")->type_name("TEXT");
  }

  /// As the value of a variable is read.
  static Value json_of(const std::string& text, const std::string& option) {
    auto value = parse_value(text, option);
    if (!value) throw CLI::ValidationError(value.error().message);
    return std::move(*value);
  }

  /// The version to go on with, and what is called otherwise there.
  void add_target(CLI::App* command) {
    auto* version = command->add_option("--to-version", target_.version,
                                        "the version to go on with, by its number");
    version->type_name("N")->check(CLI::PositiveNumber);
    auto* definition =
        command->add_option("--to-definition", texts_.definition_id, "the same by its id");
    definition->type_name("ID")->excludes(version);
    command->add_option("--map", renamed_, "the element or flow OLD is NEW there; repeatable")
        ->type_name("OLD=NEW");
    command->add_flag("--dry-run", target_.dry_run, "only say what would happen");
  }

  MigrationTarget target() {
    if (!texts_.definition_id.empty()) {
      target_.definition_id = key(texts_.definition_id, "definition");
    }
    if (!target_.version && !target_.definition_id) {
      throw CLI::ValidationError("name the version to go on with: --to-version N");
    }
    for (const auto& pair : renamed_) {
      const auto middle = pair.find('=');
      if (middle == 0 || middle == std::string::npos || middle + 1 == pair.size()) {
        throw CLI::ValidationError("--map needs OLD=NEW, two ids of elements");
      }
      target_.mapping.set(pair.substr(0, middle), pair.substr(middle + 1));
    }
    return target_;
  }

  void add_migration() {
    auto* one = add("migrate-instance", "let an instance go on with another version", [this] {
      command_ = MigrateInstanceCommand{key(texts_.instance_id, "instance"), target()};
    });
    add_instance(one)->required();
    add_target(one);

    auto* all = add("migrate-instances", "the same for all that run with a version", [this] {
      migrate_instances_.target = target();
      command_ = migrate_instances_;
    });
    all->add_option("PROCESS", migrate_instances_.process_id, "id of the process")->required();
    all->add_option("--from-version", migrate_instances_.from_version,
                    "the version that they run with")
        ->type_name("N")
        ->check(CLI::PositiveNumber)
        ->required();
    add_target(all);
  }

  void add_database() {
    auto* migrate =
        add("migrate", "bring the database's schema up to date", [this] { command_ = migrate_; });
    migrate->add_flag("--status", migrate_.status, "only list what is applied and what is pending");
    add("check", "prove that every instance's rows are what its history says",
        [this] { command_ = CheckCommand{}; });

    auto* purge =
        add("purge", "remove ended instances whose time is over", [this] { command_ = purge_; });
    purge->add_flag("--dry-run", purge_.dry_run, "only say what would go");
    purge->add_option("--process", purge_.process, "only instances of this process")
        ->type_name("ID");
    auto* older = purge->add_option("--older-than", purge_.older_than,
                                    "those that ended so long ago (default: as configured)");
    older->type_name("P30D");
    purge->add_option("--before", purge_.before, "those that ended before this time")
        ->type_name("TIME")
        ->excludes(older);
  }

  void add_copies() {
    auto* backup = add("backup", "copy the database into one file, also while it is in use",
                       [this] { command_ = backup_; });
    backup->add_option("--to", backup_.to, "file to be made")->required()->type_name("FILE");

    auto* restore = add("restore", "make a database of a backup", [this] { command_ = restore_; });
    restore->add_option("--from", restore_.from, "a backup")->required()->type_name("FILE");
    restore->add_option("--to", restore_.to, "a database that has nothing in it yet")
        ->required()
        ->type_name("URL");

    auto* transfer = add("transfer", "copy a database to another one that has nothing in it yet",
                         [this] { command_ = transfer_; });
    transfer->add_option("--from", transfer_.from, "sqlite:DIR, or postgres://USER@HOST/NAME")
        ->required()
        ->type_name("URL");
    transfer->add_option("--to", transfer_.to, "likewise")->required()->type_name("URL");
  }

  void add_flow() {
    auto* flow = app_.add_subcommand("flow", "durable workflows of your own programs");
    flow->require_subcommand(1);
    auto* verify = flow->add_subcommand(
        "verify", "replay stored runs against a program before it is deployed");
    verify->footer(
        "The program is started with PERDURE_VERIFY in its environment: the first engine that it "
        "opens\nreports, read-only, and the program ends there. Options of the program stand "
        "behind "
        "--.");
    verify->final_callback([this] { command_ = flow_verify_; });
    verify->add_option("program", flow_verify_.program, "the program and its arguments")
        ->required()
        ->type_name("PROGRAM");
    verify
        ->add_option("--ended", flow_verify_.ended,
                     "so many runs of each flow that have ended too (default: 0)")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    auto* list = flow->add_subcommand(
        "list", "the flows of the database: runs by status, limits and schedules");
    list->final_callback([this] { command_ = FlowListCommand{}; });
  }

  void add_decisions() {
    auto* eval = add("eval", "evaluate a FEEL expression", [this] { command_ = eval_; });
    auto* expression = eval->add_option("expression", eval_.expression, "FEEL, without leading =")
                           ->type_name("EXPRESSION");
    auto* context = eval->add_option("--context", eval_.context, "JSON file with the variables")
                        ->type_name("FILE");
    auto* unary =
        eval->add_option("--unary", texts_.unary_input,
                         "take the expression as a unary test of this input, JSON or text")
            ->type_name("INPUT");
    eval->add_flag(
            "--ndjson", eval_.lines,
            "read {\"expression\", \"context\"} lines from standard input, answer a line each")
        ->excludes(expression)
        ->excludes(context)
        ->excludes(unary);
    add_variables(eval);

    auto* decide =
        add("decide", "evaluate a decision of a DMN file", [this] { command_ = decide_; });
    decide->add_option("file", decide_.file, "DMN file")->required()->type_name("FILE");
    decide
        ->add_option("--decision", decide_.decision,
                     "name or id of a decision or a decision service (default: the one that no "
                     "other needs)")
        ->type_name("NAME");
    decide->add_option("--import", decide_.imports, "file of a model that it imports; repeatable")
        ->type_name("FILE")
        ->allow_extra_args(false);
    add_variables(decide);
  }

  void add_version() {
    add("version", "print the version", [this] { command_ = VersionCommand{}; });
  }

  CLI::Option* add_instance(CLI::App* command) {
    return command->add_option("instance", texts_.instance_id, "id of an instance")
        ->type_name("INSTANCE_ID");
  }

  static Key key(const std::string& text, const char* what) {
    const auto parsed = parse_key(text);
    if (!parsed) {
      throw CLI::ValidationError("\"" + text + "\" is no " + what +
                                 " id; an id is a whole number above 0");
    }
    return *parsed;
  }

  [[nodiscard]] Object variables() const {
    Object result;
    for (const auto& text : texts_.variables) {
      auto variable = parse_variable(text);
      if (!variable) throw CLI::ValidationError(variable.error().message);
      result.set(variable->first, std::move(variable->second));
    }
    return result;
  }

  /// Whether no server can do the command.
  [[nodiscard]] bool works_on_folder() const {
    return std::holds_alternative<ServeCommand>(command_) ||
           std::holds_alternative<DemoCommand>(command_) ||
           std::holds_alternative<MigrateCommand>(command_) ||
           std::holds_alternative<CheckCommand>(command_) ||
           std::holds_alternative<PurgeCommand>(command_) ||
           std::holds_alternative<BackupCommand>(command_) ||
           std::holds_alternative<RestoreCommand>(command_) ||
           std::holds_alternative<TransferCommand>(command_);
  }

  std::expected<Arguments, NoCommand> take() {
    try {
      if (auto* run = std::get_if<RunCommand>(&command_)) run->variables = variables();
      if (auto* start = std::get_if<StartCommand>(&command_)) start->variables = variables();
      if (auto* eval = std::get_if<EvalCommand>(&command_)) finish(*eval);
      if (auto* decide = std::get_if<DecideCommand>(&command_)) decide->variables = variables();
    } catch (const CLI::ParseError& error) {
      return refuse(error.what());
    }
    return Arguments{common_, std::move(command_)};
  }

  void finish(EvalCommand& eval) const {
    if (!eval.lines && eval.expression.empty()) {
      throw CLI::ValidationError("eval needs an expression, or --ndjson");
    }
    eval.variables = variables();
    if (texts_.unary_input.empty()) return;
    auto input = parse_value(texts_.unary_input, "--unary");
    if (!input) throw CLI::ValidationError(input.error().message);
    eval.unary_input = std::move(*input);
  }

  /// CLI11 says of an unknown command only that one is missing.
  [[nodiscard]] std::string reason_of(const CLI::ParseError& error) const {
    if (!app_.get_subcommands().empty()) return error.what();
    for (const auto& text : app_.remaining()) {
      if (!text.starts_with("-")) return "\"" + text + "\" is no command";
    }
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return "a command is missing";
    return error.what();
  }

  [[nodiscard]] std::expected<Arguments, NoCommand> refuse(std::string_view reason) const {
    std::string name = "perdure";
    for (const auto* command : app_.get_subcommands())
      name += " " + command->get_name();
    return std::unexpected(NoCommand{ExitCode::usage, "perdure: " + std::string(reason) + ". \"" +
                                                          name + " --help\" tells more.\n"});
  }

  CLI::App app_{"Perdure, a durable process engine: BPMN processes in one SQLite file."};
  Common common_;
  Texts texts_;
  ServeCommand serve_;
  RunCommand run_;
  DeployCommand deploy_;
  StartCommand start_;
  MessageCommand message_;
  SignalCommand signal_;
  ConditionsCommand conditions_;
  ThrowCommand throw_;
  ListInstancesCommand list_instances_;
  ShowCommand show_;
  ListTasksCommand list_tasks_;
  RetryCommand retry_;
  CancelCommand cancel_;
  PauseCommand pause_;
  SetCommand set_;
  ModifyCommand modify_;
  MigrationTarget target_;
  std::vector<std::string> renamed_;
  MigrateInstancesCommand migrate_instances_;
  AuditCommand audit_;
  ChooseCommand choose_;
  RestartCommand restart_;
  SkipStepCommand skip_;
  FlowVerifyCommand flow_verify_;
  MigrateCommand migrate_;
  PurgeCommand purge_;
  BackupCommand backup_;
  RestoreCommand restore_;
  TransferCommand transfer_;
  DemoCommand demo_;
  EvalCommand eval_;
  DecideCommand decide_;
  Command command_ = VersionCommand{};
};

} // namespace

std::expected<Arguments, NoCommand> parse_arguments(const std::vector<std::string>& arguments) {
  return Grammar().parse(arguments);
}

Result<std::pair<std::string, Value>> parse_variable(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return fail(ErrorCode::invalid_input, "--var \"" + text + "\" has no name; write NAME=VALUE");
  }
  const auto name = text.substr(0, equals);
  auto value = parse_value(text.substr(equals + 1), "--var \"" + name + "\"");
  if (!value) return std::unexpected(value.error());
  return std::pair(name, std::move(*value));
}

Result<Value> parse_value(const std::string& text, const std::string& option) {
  auto parsed = json::parse(text);
  if (!parsed && text.find_first_of("{[\"") == 0) {
    std::string reason = parsed.error().message;
    if (reason.ends_with('.')) reason.pop_back();
    return fail(ErrorCode::invalid_input, option + " is no JSON: " + reason);
  }
  return parsed ? std::move(*parsed) : Value(text);
}

} // namespace perdure::cli
