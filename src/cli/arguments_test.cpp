#include "cli/arguments.h"

#include <gtest/gtest.h>

namespace perdure::cli {
namespace {

template <class Command>
Command accepted(const std::vector<std::string>& line) {
  const auto parsed = parse_arguments(line);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().text;
    return {};
  }
  const auto* command = std::get_if<Command>(&parsed->command);
  EXPECT_NE(command, nullptr) << line.front();
  return command != nullptr ? *command : Command{};
}

std::string refused(const std::vector<std::string>& line) {
  const auto parsed = parse_arguments(line);
  if (parsed) {
    ADD_FAILURE() << "accepted";
    return {};
  }
  EXPECT_EQ(parsed.error().code, ExitCode::usage);
  EXPECT_TRUE(parsed.error().text.ends_with("\n"));
  return parsed.error().text;
}

TEST(Arguments, RunTakesVariablesAnywhere) {
  const auto run = accepted<RunCommand>(
      {"run", "--var", "amount=120", "order.bpmn", "--var", "customer=Ada Lovelace", "--watch"});
  EXPECT_EQ(run.file, "order.bpmn");
  EXPECT_TRUE(run.watch);
  EXPECT_EQ(run.variables, (Object{{"amount", 120}, {"customer", "Ada Lovelace"}}));
}

TEST(Arguments, AFlowIsRestartedFromOnePlace) {
  const auto step =
      accepted<RestartCommand>({"restart", "6", "--from-step", "pay now", "--latest", "--input",
                                R"({"n":1})", "--insist", "--reason", "x"});
  EXPECT_EQ(step.from_step, "pay now");
  EXPECT_EQ(step.input, Value(Object{{"n", 1}}));
  EXPECT_EQ(step.reason, "x");
  EXPECT_TRUE(step.latest && step.insist && step.before.empty());
  EXPECT_TRUE(accepted<RestartCommand>({"restart", "6", "--from-failure"}).from_failure);
  EXPECT_TRUE(accepted<RestartCommand>({"restart", "6", "--from-beginning"}).from_beginning);
  refused({"restart", "6", "--from-failure", "--from-beginning"});
  refused({"restart", "6", "--from-failure", "--before", "a"});
  refused({"restart", "6", "--from-failure", "--input", "{"});
}

TEST(Arguments, AStepIsSkippedWithItsResult) {
  const auto skip = accepted<SkipStepCommand>({"skip-step", "6", "pay", "--result", "[1]"});
  EXPECT_EQ(skip.instance_id, 6);
  EXPECT_EQ(skip.step, "pay");
  EXPECT_EQ(skip.result, Value(Array{1}));
  EXPECT_FALSE(accepted<SkipStepCommand>({"skip-step", "6", "pay"}).result);
  refused({"skip-step", "6"});
}

TEST(Arguments, AProgramIsVerifiedWithItsArguments) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(accepted<FlowVerifyCommand>({"flow", "verify", "./orders", "a"}).program,
            (Words{"./orders", "a"}));
  const auto verify = accepted<FlowVerifyCommand>(
      {"flow", "verify", "--ended", "5", "--", "./orders", "--data", "x"});
  EXPECT_EQ(verify.program, (Words{"./orders", "--data", "x"}));
  EXPECT_EQ(verify.ended, 5);
  refused({"flow", "verify"});
  refused({"flow"});
}

TEST(Arguments, EveryCommandIsKnown) {
  EXPECT_EQ(accepted<ServeCommand>({"serve", "--host", "::1", "--port", "0"}).port, 0);
  EXPECT_EQ(accepted<DeployCommand>({"deploy", "a.bpmn", "b.bpmn"}).files.size(), 2U);
  const auto start = accepted<StartCommand>(
      {"start", "order", "--business-key", "O-1", "--idempotency-key", "k", "--var", "a=[1,2]"});
  EXPECT_EQ(start.process, "order");
  EXPECT_EQ(start.business_key, "O-1");
  EXPECT_EQ(start.idempotency_key, "k");
  EXPECT_EQ(start.variables, (Object{{"a", Array{1, 2}}}));
  const auto conditions = accepted<ConditionsCommand>(
      {"conditions", "--business-key", "O-1", "--idempotency-key", "k", "--var", "a=1"});
  EXPECT_EQ(conditions.business_key, "O-1");
  EXPECT_EQ(conditions.idempotency_key, "k");
  EXPECT_EQ(conditions.variables, (Object{{"a", 1}}));
  const auto list = accepted<ListInstancesCommand>(
      {"ps", "--process", "order", "--status", "running", "--incidents", "--limit", "5"});
  EXPECT_EQ(list.process, "order");
  EXPECT_EQ(list.status, "running");
  EXPECT_TRUE(list.incidents);
  EXPECT_EQ(list.limit, 5);
  EXPECT_EQ(accepted<ShowCommand>({"show", "12"}).instance_id, 12);
  EXPECT_EQ(accepted<HistoryCommand>({"history", "12"}).instance_id, 12);
  EXPECT_EQ(accepted<ListTasksCommand>({"tasks", "--type", "user", "--instance", "3"}).instance_id,
            3);
  const auto complete = accepted<CompleteCommand>({"complete", "9", "--var", "ok=true"});
  EXPECT_EQ(complete.task_id, 9);
  EXPECT_EQ(complete.variables, (Object{{"ok", true}}));
  EXPECT_TRUE(accepted<MigrateCommand>({"migrate", "--status"}).status);
  accepted<CheckCommand>({"check"});
  EXPECT_TRUE(accepted<DemoCommand>({"demo", "--exit"}).exit);
  accepted<VersionCommand>({"version"});
  accepted<VersionCommand>({"--version"});
}

TEST(Arguments, EveryOperationIsKnown) {
  EXPECT_EQ(accepted<RetryCommand>({"retry", "4"}).instance_id, 4);
  EXPECT_EQ(accepted<RetryCommand>({"retry", "--incident", "5", "--retries", "3"}).incident_id, 5);
  EXPECT_EQ(accepted<CancelCommand>({"cancel", "6", "--reason", "a test"}).reason, "a test");
  EXPECT_EQ(accepted<PauseCommand>({"pause", "6", "--reason", "closed"}).reason, "closed");
  EXPECT_EQ(accepted<ResumeCommand>({"resume", "6"}).instance_id, 6);
  const auto set = accepted<SetCommand>({"set", "6", "--var", "a=1", "--scope", "7"});
  EXPECT_EQ(set.variables, (Object{{"a", 1}}));
  EXPECT_EQ(set.scope_id, 7);
  const auto modify =
      accepted<ModifyCommand>({"modify", "6", "--before", "a", "--before", "b", "--after", "c",
                               "--cancel", "d", "--cancel-token", "8", "--dry-run"});
  EXPECT_EQ(modify.before, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(modify.after, std::vector<std::string>{"c"});
  EXPECT_EQ(modify.cancel, std::vector<std::string>{"d"});
  EXPECT_EQ(modify.cancel_tokens, std::vector<std::string>{"8"});
  EXPECT_TRUE(modify.dry_run);
  EXPECT_EQ(accepted<RestartCommand>({"restart", "6", "--before", "a"}).before,
            std::vector<std::string>{"a"});
  const auto one = accepted<MigrateInstanceCommand>(
      {"migrate-instance", "6", "--to-version", "3", "--map", "a=b", "--map", "c=d", "--dry-run"});
  EXPECT_EQ(one.instance_id, 6);
  EXPECT_EQ(one.target.version, 3);
  EXPECT_EQ(one.target.mapping, (Object{{"a", "b"}, {"c", "d"}}));
  EXPECT_TRUE(one.target.dry_run);
  const auto all = accepted<MigrateInstancesCommand>(
      {"migrate-instances", "order", "--from-version", "2", "--to-definition", "77"});
  EXPECT_EQ(all.process_id, "order");
  EXPECT_EQ(all.from_version, 2);
  EXPECT_EQ(all.target.definition_id, 77);
}

TEST(Arguments, ExpressionsAndDecisionsAreKnown) {
  const auto eval = accepted<EvalCommand>(
      {"eval", "a + 1", "--context", "c.json", "--var", "a=2", "--unary", "[1]"});
  EXPECT_EQ(eval.expression, "a + 1");
  EXPECT_EQ(eval.context, "c.json");
  EXPECT_EQ(eval.variables, (Object{{"a", 2}}));
  EXPECT_EQ(eval.unary_input, Value(Array{1}));
  EXPECT_TRUE(accepted<EvalCommand>({"eval", "--ndjson"}).lines);
  const auto decide = accepted<DecideCommand>({"decide", "a.dmn", "--decision", "Risk", "--var",
                                               "x=1", "--import", "b.dmn", "--import", "c.dmn"});
  EXPECT_EQ(decide.file, "a.dmn");
  EXPECT_EQ(decide.decision, "Risk");
  EXPECT_EQ(decide.imports, (std::vector<std::string>{"b.dmn", "c.dmn"}));
  EXPECT_EQ(decide.variables, (Object{{"x", 1}}));
}

TEST(Arguments, EvalNeedsAnExpressionOrLines) {
  EXPECT_NE(refused({"set", "6"}).find("set needs at least one --var"), std::string::npos);
  EXPECT_NE(refused({"restart", "6"}).find("--before"), std::string::npos);
  EXPECT_NE(refused({"eval"}).find("eval needs an expression, or --ndjson"), std::string::npos);
  (void)refused({"eval", "1", "--ndjson"});
  (void)refused({"eval", "--ndjson", "--unary", "1"});
  EXPECT_NE(refused({"eval", "1", "--unary", "{"}).find("--unary is no JSON"), std::string::npos);
  (void)refused({"decide"});
}

TEST(Arguments, CommonOptionsStandBeforeOrAfterTheCommand) {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"--data", "d", "--json", "ps"}, {"ps", "--data", "d", "--json"}}) {
    const auto parsed = parse_arguments(line);
    ASSERT_TRUE(parsed) << parsed.error().text;
    EXPECT_EQ(parsed->common.data, "d");
    EXPECT_TRUE(parsed->common.json);
  }
}

TEST(Arguments, WrongLinesSayWhatIsWrong) {
  const struct {
    std::vector<std::string> line;
    std::string part;
  } cases[] = {
      {{}, "a command is missing"},
      {{"frobnicate"}, "\"frobnicate\" is no command"},
      {{"ps", "--frobnicate"}, "--frobnicate"},
      {{"run"}, "file is required"},
      {{"show", "abc"}, "\"abc\" is no instance id"},
      {{"show", "-1"}, "-1"},
      {{"show", "9223372036854775808"}, "is no instance id"},
      {{"complete", "0"}, "\"0\" is no task id"},
      {{"ps", "--status", "asleep"}, "asleep"},
      {{"ps", "--limit", "0"}, "--limit"},
      {{"serve", "--port", "70000"}, "--port: Value 70000 not in range 0 to 65535"},
      {{"start", "order", "--var", "novalue"}, "write NAME=VALUE"},
      {{"start", "order", "--var", "=1"}, "write NAME=VALUE"},
      {{"complete", "1", "--var", "x"}, "write NAME=VALUE"},
      {{"retry"}, "retry needs an instance"},
      {{"retry", "1", "--incident", "2"}, "retry needs an instance"},
      {{"start", "order", "--var", "a={\"b\":1e400}"}, "--var \"a\" is no JSON: JSON line 1"},
      {{"ps", "--data", "d", "--server", "http://x"}, "cannot be used together"},
      {{"check", "--server", "http://x"}, "name it with --data"},
      {{"migrate", "--status", "--server", "http://x"}, "name it with --data"},
      {{"serve", "--server", "http://x"}, "name it with --data"},
      {{"demo", "--server", "http://x"}, "name it with --data"},
      {{"start", "order\xff"}, "not valid UTF-8"},
      {{"migrate-instance", "6"}, "--to-version N"},
      {{"migrate-instance", "6", "--to-version", "0"}, "--to-version"},
      {{"migrate-instance", "6", "--to-version", "2", "--to-definition", "7"}, "excludes"},
      {{"migrate-instance", "6", "--to-version", "2", "--map", "a="}, "--map needs OLD=NEW"},
      {{"migrate-instances", "order", "--to-version", "2"}, "--from-version"},
  };
  for (const auto& test : cases) {
    EXPECT_NE(refused(test.line).find(test.part), std::string::npos) << refused(test.line);
  }
}

TEST(Arguments, HelpIsForEveryCommandAndIsNoMistake) {
  for (const std::string name :
       {"", "serve", "run", "deploy", "start", "ps", "show", "history", "tasks", "complete",
        "retry", "cancel", "migrate", "check", "demo", "version"}) {
    std::vector<std::string> line{"--help"};
    if (!name.empty()) line.insert(line.begin(), name);
    const auto parsed = parse_arguments(line);
    ASSERT_FALSE(parsed) << name;
    EXPECT_EQ(parsed.error().code, ExitCode::ok) << name;
    EXPECT_NE(parsed.error().text.find("--help"), std::string::npos) << name;
    EXPECT_NE(parsed.error().text.find("--json"), std::string::npos) << name;
  }
}

TEST(Arguments, VariablesAreJsonWhenTheyReadAsJson) {
  const std::pair<std::string, Value> cases[] = {
      {"a=1", 1},
      {"a=1.5", 1.5},
      {"a=true", true},
      {"a=null", nullptr},
      {"a=\"1\"", "1"},
      {"a=", ""},
      {"a=007", "007"},
      {"a=x=y", "x=y"},
      {"a=1]", "1]"},
      {"a={\"b\":1}", Object{{"b", 1}}},
      {"a=9223372036854775808", "9223372036854775808"},
  };
  for (const auto& [text, value] : cases) {
    const auto variable = parse_variable(text);
    ASSERT_TRUE(variable) << text;
    EXPECT_EQ(variable->first, "a");
    EXPECT_EQ(variable->second, value) << text;
  }
}

TEST(Arguments, VariablesThatBeginAsJsonAndAreNoneAreRefused) {
  for (const std::string text : {"a=[1", "a={\"b\": 9223372036854775808}", "a=\"x", "a={b: 1}"}) {
    const auto variable = parse_variable(text);
    ASSERT_FALSE(variable) << text;
    EXPECT_TRUE(variable.error().message.starts_with("--var \"a\" is no JSON: "))
        << variable.error().message;
  }
}

} // namespace
} // namespace perdure::cli
