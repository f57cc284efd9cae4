// Commands on a folder: each opens the database, does its work and ends.
#include <gtest/gtest.h>

#include <filesystem>

#include "perdure/value.h"
#include "program.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/owner_lock.h"

namespace perdure::cli_test {
namespace {

/// A folder with the model deployed.
class CommandTest : public testing::Test {
protected:
  void SetUp() override {
    const auto deployed = on_data({"deploy", folder_.write("ask.bpmn", ask_model()), "--json"});
    ASSERT_EQ(deployed.code, 0) << deployed.error;
    EXPECT_EQ(at(deployed.json(), "definitions", 0, "process_id"), Value("ask"));
    EXPECT_EQ(at(deployed.json(), "definitions", 0, "version"), Value(1));
  }

  Ended on_data(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--data", folder_.path("data")});
    return perdure(std::move(arguments));
  }

  std::string start(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"start", "ask", "--json"});
    const auto started = on_data(std::move(more));
    EXPECT_EQ(started.code, 0) << started.error;
    return text_at(at(started.json(), "id"));
  }

  /// The id of the instance's one open task.
  std::string task_of(const std::string& instance) const {
    const auto tasks = on_data({"tasks", "--instance", instance, "--json"}).json();
    EXPECT_EQ(size_of(at(tasks, "items")), 1U);
    return text_at(at(tasks, "items", 0, "id"));
  }

  TemporaryFolder folder_;
};

TEST(Version, IsPrintedForPeopleAndPrograms) {
  const auto plain = perdure({"version"});
  EXPECT_EQ(plain.code, 0);
  EXPECT_TRUE(plain.out.starts_with("perdure ")) << plain.out;
  EXPECT_EQ("perdure " + text_at(at(perdure({"version", "--json"}).json(), "version")) + "\n",
            plain.out);
  EXPECT_EQ(perdure({"--version"}).out, plain.out);
}

TEST(Usage, WrongLinesEndWith2AndWriteToStandardErrorOnly) {
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{}, {"fly"}, {"show"}, {"show", "x"}, {"ps", "--fly"}}) {
    const auto ended = perdure(line);
    EXPECT_EQ(ended.code, 2);
    EXPECT_EQ(ended.out, "");
    EXPECT_TRUE(ended.error.starts_with("perdure: ")) << ended.error;
  }
  const auto help = perdure({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("Exit codes"), std::string::npos);
  EXPECT_EQ(help.error, "");
}

TEST(Usage, WrongConfigurationIsNamed) {
  const TemporaryFolder folder;
  const auto file = folder.write("perdure.toml", "prot = 1\n");
  const auto ended = perdure({"ps", "--config", file});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.error, "perdure: " + file +
                             ":1: prot is not a setting; see docs/cli.md for those there are\n");
}

TEST(Usage, AddressesThatAreNoneEndWith2) {
  const TemporaryFolder folder;
  const auto server = perdure({"ps", "--server", "localhost"});
  EXPECT_EQ(server.code, 2);
  EXPECT_EQ(server.error,
            "perdure: 'localhost' is no server address; write it as http://host:port\n");
  const auto host = perdure({"serve", "--host", "1.2.3.4.5", "--data", folder.path("d")});
  EXPECT_EQ(host.code, 2);
  EXPECT_NE(host.error.find("is no address to listen on"), std::string::npos) << host.error;
}

TEST(Unreachable, MissingDatabaseAndServerEndWith4) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"ps", "--data", folder.path("none")},
        {"complete", "1", "--data", folder.path("none")},
        {"check", "--data", folder.path("none")},
        {"migrate", "--status", "--data", folder.path("none")},
        {"ps", "--server", "http://127.0.0.1:1"}}) {
    const auto ended = perdure(line);
    EXPECT_EQ(ended.code, 4) << ended.error;
    EXPECT_EQ(ended.out, "");
    EXPECT_NE(ended.error, "");
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("none")));
}

TEST_F(CommandTest, AnInstanceIsStartedListedShownAndBroughtToItsTimer) {
  const auto id = start({"--var", "amount=120", "--var", "who=Ada", "--business-key", "O-1"});
  const auto list = on_data({"ps", "--business-key", "O-1", "--json"}).json();
  ASSERT_EQ(size_of(at(list, "items")), 1U);
  EXPECT_EQ(at(list, "items", 0, "id"), Value(id));
  EXPECT_EQ(at(list, "items", 0, "status"), Value("running"));

  auto shown = on_data({"show", id, "--json"}).json();
  EXPECT_EQ(at(shown, "instance", "variables"), Value(Object{{"amount", 120}, {"who", "Ada"}}));
  EXPECT_EQ(at(shown, "steps", 0, "status"), Value("pending"));

  const auto payment = task_of(id);
  EXPECT_EQ(on_data({"complete", payment, "--var", "paid=true"}).out,
            "Task " + payment + " is completed.\n");
  const auto again = on_data({"complete", payment});
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.error, "");
  EXPECT_EQ(on_data({"complete", task_of(id)}).code, 0);

  shown = on_data({"show", id, "--json"}).json();
  EXPECT_EQ(at(shown, "instance", "variables", "paid"), Value(true));
  EXPECT_EQ(size_of(at(shown, "steps")), 3U);
  EXPECT_EQ(at(shown, "steps", 2, "type"), Value("sleep"));
  EXPECT_EQ(on_data({"check"}).code, 0);
}

TEST_F(CommandTest, TablesAreForPeople) {
  const auto id = start();
  const auto list = on_data({"ps"});
  EXPECT_TRUE(list.out.starts_with("ID")) << list.out;
  EXPECT_NE(list.out.find("ask"), std::string::npos);
  EXPECT_EQ(on_data({"ps", "--status", "failed"}).out,
            "ID  PROCESS  BUSINESS KEY  STATUS  CREATED  DURATION\n");
  EXPECT_NE(on_data({"show", id}).out.find("Pay   service task  pending"), std::string::npos);
  EXPECT_NE(on_data({"tasks"}).out.find("payment"), std::string::npos);
  EXPECT_EQ(on_data({"tasks", "--type", "user"}).out,
            "ID  TYPE  TASK  FOR  STATE  INSTANCE  CREATED\n");
}

TEST_F(CommandTest, HistoryIsWholeAndInOrder) {
  const auto id = start();
  const auto facts = at(on_data({"history", id, "--json"}).json(), "items");
  ASSERT_GE(size_of(facts), 3U);
  EXPECT_EQ(at(facts, 0, "event_type"), Value("instance_started"));
  for (int i = 0; i < static_cast<int>(size_of(facts)); ++i) {
    EXPECT_EQ(at(facts, i, "sequence"), Value(i + 1));
  }
  EXPECT_TRUE(on_data({"history", id}).out.starts_with("SEQUENCE"));
}

TEST_F(CommandTest, AStartSentTwiceIsOneInstance) {
  const auto first = start({"--idempotency-key", "k1", "--var", "a=1"});
  EXPECT_EQ(start({"--idempotency-key", "k1", "--var", "a=1"}), first);
  EXPECT_EQ(on_data({"start", "ask", "--idempotency-key", "k1", "--var", "a=2"}).code, 1);
  EXPECT_EQ(size_of(at(on_data({"ps", "--json"}).json(), "items")), 1U);
}

TEST_F(CommandTest, CancelEndsAnInstanceOnce) {
  const auto id = start();
  EXPECT_EQ(on_data({"cancel", id, "--reason", "a test"}).out,
            "Instance " + id + " is cancelled.\n");
  const auto shown = on_data({"show", id, "--json"}).json();
  EXPECT_EQ(at(shown, "instance", "status"), Value("cancelled"));
  EXPECT_EQ(at(shown, "instance", "end_reason"), Value("a test"));
  EXPECT_EQ(on_data({"cancel", id}).code, 1);
  EXPECT_EQ(on_data({"check"}).code, 0);
}

TEST_F(CommandTest, WhatOperatorsDidIsListed) {
  const auto instance = start();
  ASSERT_EQ(on_data({"pause", instance, "--reason", "lunch"}).code, 0);
  ASSERT_EQ(on_data({"resume", instance}).code, 0);
  const auto all = on_data({"audit", "--instance", instance, "--json"});
  EXPECT_EQ(all.code, 0) << all.error;
  EXPECT_EQ(size_of(at(all.json(), "items")), 2U);
  EXPECT_EQ(at(all.json(), "items", 1, "action"), Value("pause_instance"));
  const auto table = on_data({"audit", "--action", "pause_instance"});
  EXPECT_NE(table.out.find("{\"reason\":\"lunch\"}"), std::string::npos) << table.out;
  EXPECT_EQ(size_of(at(on_data({"audit", "--actor", "nobody", "--json"}).json(), "items")), 0U);
}

TEST_F(CommandTest, ActivitiesAreChosenAndCalledInstancesListed) {
  const auto deployed = on_data({"deploy", folder_.write("free.bpmn", R"(<?xml version="1.0"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="test">
  <process id="free" isExecutable="true">
    <adHocSubProcess id="Free"><callActivity id="A" calledElement="ask"/><task id="B"/>
      <completionCondition>= false</completionCondition></adHocSubProcess>
  </process>
</definitions>)")});
  ASSERT_EQ(deployed.code, 0) << deployed.error;
  const auto started = on_data({"start", "free", "--json"});
  const auto id = text_at(at(started.json(), "id"));
  const auto chosen = on_data({"choose", id, "--activity", "A", "--activity", "B"});
  EXPECT_EQ(chosen.code, 0) << chosen.error;
  EXPECT_EQ(chosen.out, "The activities of instance " + id + " begin.\n");
  const auto called = on_data({"ps", "--parent", id, "--json"});
  ASSERT_EQ(size_of(at(called.json(), "items")), 1U) << called.out;
  const auto child = text_at(at(called.json(), "items", 0, "id"));
  EXPECT_NE(on_data({"show", child}).out.find("called by     " + id), std::string::npos);
  EXPECT_EQ(on_data({"choose", id, "--activity", "C"}).code, 1);
  EXPECT_EQ(on_data({"choose", id}).code, 2);
  EXPECT_EQ(on_data({"choose", start(), "--activity", "A"}).code, 1);
}

TEST_F(CommandTest, InstancesGoOnWithAnotherVersion) {
  const auto first = start();
  const auto second = start();
  auto model = ask_model();
  for (auto at = model.find("\"pay\""); at != std::string::npos; at = model.find("\"pay\"", at))
    model.replace(at, 5, "\"charge\"");
  ASSERT_EQ(on_data({"deploy", folder_.write("newer.bpmn", model)}).code, 0);

  const auto refused = on_data({"migrate-instance", first, "--to-version", "2"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.error.find("`pay`"), std::string::npos) << refused.error;
  const auto tried =
      on_data({"migrate-instance", first, "--to-version", "2", "--map", "pay=charge", "--dry-run"});
  EXPECT_EQ(tried.code, 0) << tried.error;
  EXPECT_NE(tried.out.find("instance_migrated"), std::string::npos) << tried.out;
  const auto done =
      on_data({"migrate-instance", first, "--to-version", "2", "--map", "pay=charge"});
  EXPECT_EQ(done.code, 0) << done.error;

  const auto none =
      on_data({"migrate-instances", "ask", "--from-version", "1", "--to-version", "2", "--json"});
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(at(none.json(), "migrated"), Value(0));
  EXPECT_EQ(at(none.json(), "refused", 0, "instance_id"), Value(second));
  ASSERT_EQ(on_data({"pause", second}).code, 0);
  const auto all = on_data({"migrate-instances", "ask", "--from-version", "1", "--to-version", "2",
                            "--map", "pay=charge"});
  EXPECT_EQ(all.code, 0) << all.error;
  EXPECT_TRUE(all.out.starts_with("1 instances go on with the other version; 0 are refused."))
      << all.out;
  EXPECT_EQ(on_data({"migrate-instances", "ask", "--from-version", "9", "--to-version", "2"}).code,
            3);
  EXPECT_EQ(on_data({"check"}).code, 0);
}

TEST_F(CommandTest, WhatDoesNotExistEndsWith3) {
  for (const std::vector<std::string>& line : {std::vector<std::string>{"show", "999999"},
                                               {"history", "999999"},
                                               {"complete", "999999"},
                                               {"cancel", "999999"},
                                               {"retry", "999999"},
                                               {"retry", "--incident", "999999"},
                                               {"migrate-instance", "999999", "--to-version", "1"},
                                               {"start", "no-such-process"},
                                               {"deploy", folder_.path("none.bpmn")}}) {
    const auto ended = on_data(line);
    EXPECT_EQ(ended.code, 3) << line.front() << ": " << ended.error;
    EXPECT_TRUE(ended.error.starts_with("perdure: ")) << ended.error;
  }
}

TEST_F(CommandTest, AModelThatIsWrongIsRefusedWithItsPlace) {
  const auto file = folder_.write("bad.bpmn", "<definitions>\n");
  const auto plain = on_data({"deploy", file});
  EXPECT_EQ(plain.code, 1);
  EXPECT_NE(plain.error.find("bad.bpmn:"), std::string::npos) << plain.error;
  EXPECT_GE(size_of(at(on_data({"deploy", file, "--json"}).json(), "diagnostics")), 1U);
}

TEST_F(CommandTest, AStuckInstanceIsSeenAndTriesAgain) {
  std::string model = ask_model();
  const std::string flow = "<sequenceFlow id=\"f1\" sourceRef=\"begin\" targetRef=\"pay\"/>";
  model.replace(model.find(flow), flow.size(),
                "<sequenceFlow id=\"f0\" sourceRef=\"begin\" targetRef=\"way\"/>"
                "<exclusiveGateway id=\"way\"/>"
                "<sequenceFlow id=\"f1\" sourceRef=\"way\" targetRef=\"pay\">"
                "<conditionExpression>=amount &gt; 5</conditionExpression></sequenceFlow>");
  ASSERT_EQ(on_data({"deploy", folder_.write("stuck.bpmn", model)}).code, 0);
  const auto id = start({"--var", "amount=many"});
  EXPECT_EQ(size_of(at(on_data({"ps", "--incidents", "--json"}).json(), "items")), 1U);
  const auto shown = on_data({"show", id, "--json"}).json();
  const auto incident = text_at(at(shown, "instance", "incidents", 0, "id"));
  EXPECT_EQ(at(shown, "instance", "incidents", 0, "node_id"), Value("way"));
  const auto told = on_data({"show", id}).out;
  EXPECT_NE(told.find("    expression  =amount > 5\n    with        amount = \"many\"\n"),
            std::string::npos)
      << told;
  EXPECT_EQ(on_data({"retry", "--incident", incident}).out,
            "Incident " + incident + " tries again.\n");
  // Nothing has changed, so it is stuck again, with an incident of its own.
  const auto again = on_data({"show", id, "--json"}).json();
  EXPECT_NE(at(again, "instance", "incidents", 0, "id"), Value(incident));
  EXPECT_EQ(on_data({"retry", id}).code, 0);
  EXPECT_EQ(on_data({"check"}).code, 0);
}

TEST_F(CommandTest, MigrationsAreListedAndApplyingThemAgainDoesNothing) {
  const auto status = on_data({"migrate", "--status", "--json"});
  EXPECT_EQ(status.code, 0);
  EXPECT_GE(size_of(at(status.json(), "items")), 1U);
  EXPECT_EQ(at(status.json(), "items", 0, "version"), Value(1));
  EXPECT_EQ(at(on_data({"migrate", "--json"}).json(), "applied"), Value(0));
}

TEST_F(CommandTest, CheckFindsAModelThatWasChangedBehindItsBack) {
  {
    auto connection =
        store::sqlite::Connection::open({.path = folder_.path("data") + "/perdure.db"});
    ASSERT_TRUE(connection);
    ASSERT_TRUE((*connection)->script("DROP TRIGGER process_definition_immutable"));
    ASSERT_TRUE((*connection)->script("UPDATE process_definition SET source = source || ' '"));
  }
  const auto found = on_data({"check"});
  EXPECT_EQ(found.code, 5);
  EXPECT_NE(found.out.find("is not the one that was deployed"), std::string::npos) << found.out;
}

TEST_F(CommandTest, AFolderWhoseOwnerServesNobodyCanBeReadButNotWritten) {
  const auto id = start();
  const auto lock = store::sqlite::OwnerLock::take(folder_.path("data"));
  ASSERT_TRUE(lock);
  EXPECT_EQ(on_data({"show", id}).code, 0);
  EXPECT_EQ(on_data({"check"}).code, 0);
  const auto refused = on_data({"cancel", id});
  EXPECT_EQ(refused.code, 4);
  EXPECT_NE(refused.error.find("serves no requests"), std::string::npos) << refused.error;
}

} // namespace
} // namespace perdure::cli_test
