// perdure::postgres: engines that share a database, and what is said when one cannot be used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "perdure/flow.h"
#include "sharing/database.h"

namespace perdure::sharing {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Task<int> add(Flow& flow, int number) {
  const int one = co_await flow.run("one", [] { return 1; });
  co_return number + one + co_await flow.wait<int>("more", "more");
}

Task<int> add_differently(Flow& flow, int number) {
  const int two = co_await flow.run("two", [] { return 2; });
  co_return number + two;
}

constexpr const char* kModel = R"(<definitions
xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
xmlns:camunda="http://camunda.org/schema/1.0/bpmn"><process id="order" isExecutable="true">
<startEvent id="begin"/><sequenceFlow id="f" sourceRef="begin" targetRef="charge"/>
<serviceTask id="charge" camunda:type="external" camunda:topic="charge"/>
<sequenceFlow id="g" sourceRef="charge" targetRef="end"/><endEvent id="end"/></process>
</definitions>)";

/// What opening says.
Error refusal(const Storage& storage) {
  Engine engine{storage};
  const auto opened = engine.open();
  EXPECT_FALSE(opened);
  return opened ? Error{} : opened.error();
}

TEST(Engines, OneWaitsForWhatTheOtherDoes) {
  const Database database;
  Engine worker{database.storage("worker")};
  worker.define<add>("add");
  ASSERT_TRUE(worker.open());
  Engine caller{database.storage("caller")}; // has no code of flows
  const auto run = caller.start("add", 20, {.id = "sum"});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(worker.start("add", 30, {.id = "sum"}).value(), *run);
  ASSERT_TRUE(caller.send(*run, "more", 21));
  // It hears of the end: what it has seen by itself is that the run goes on.
  EXPECT_EQ(caller.result<int>(*run, 2min).value_or(0), 42);
  EXPECT_THAT(database.attempts(*run), ElementsAre("one succeeded worker"));
  database.expect_done_once(*run);
}

TEST(Engines, ATaskIsDoneByTheOneThatHasItsHandler) {
  const Database database;
  Engine worker{database.storage("worker")};
  worker.handle("charge", [](const Job& job) -> Value {
    return Object{{"receipt", "for " + *job.business_key}};
  });
  ASSERT_TRUE(worker.open());
  Engine caller{database.storage("caller")};
  const auto deployed = caller.deploy(kModel, "order.bpmn");
  ASSERT_TRUE(deployed) << deployed.error().message;
  const auto id = caller.start("order", Object{}, {.business_key = "o-1"});
  ASSERT_TRUE(id) << id.error().message;
  const auto ended = caller.wait(*id);
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(ended->status, InstanceStatus::completed);
  EXPECT_EQ(*ended->variables.find("receipt"), Value("for o-1"));
}

TEST(Engines, TwoOfOneNameAreToldApart) {
  const Database database;
  Engine first{database.storage("same")};
  first.define<add>("add");
  ASSERT_TRUE(first.open());
  Engine second{database.storage("same")};
  second.define<add>("add");
  ASSERT_TRUE(second.open());
  const auto names = database.rows("SELECT node_name FROM flow_host ORDER BY length(node_name)");
  EXPECT_THAT(names, ElementsAre("same", testing::StartsWith("same-")));
}

TEST(Engines, SchemasOfOneDatabaseKnowNothingOfEachOther) {
  const Database one;
  const Database other;
  Engine first{one.storage()};
  first.define<add>("add");
  Engine second{other.storage()};
  second.define<add>("add");
  ASSERT_TRUE(first.start("add", 1, {.id = "a"}));
  ASSERT_TRUE(second.open());
  EXPECT_THAT(one.runs(), testing::SizeIs(1));
  EXPECT_THAT(other.runs(), testing::SizeIs(0));
}

TEST(Engines, VerificationGoesBesideThoseThatRun) {
  const Database database;
  std::optional<Engine> running;
  running.emplace(database.storage("node"));
  running->define<add>("add");
  const auto run = running->start("add", 1);
  ASSERT_TRUE(run);
  // It rests: nothing changes any more by itself.
  const std::vector<std::string> waits{"1"};
  ASSERT_TRUE(database.wait_until([&] {
    return database.rows("SELECT count(*) FROM step_record WHERE status = 'waiting'") == waits;
  }));
  const auto image = database.image(*run);
  Engine next{database.storage("node")};
  next.define<add_differently>("add");
  const auto found = next.verify();
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_THAT(found->misfits, testing::SizeIs(1));
  EXPECT_EQ(found->misfits[0].asked, "run \"two\"");
  EXPECT_EQ(database.image(*run), image);
  // The name is still free for who takes its place.
  running.reset();
  running.emplace(database.storage("node"));
  running->define<add>("add");
  ASSERT_TRUE(running->open());
  EXPECT_THAT(database.rows("SELECT node_name FROM flow_host"), ElementsAre("node"));
}

TEST(Engines, ADatabaseIsAUrlOrAFile) {
  const auto url = refusal(database("postgres://perdure@localhost:1/none"));
  EXPECT_EQ(url.code, ErrorCode::unavailable);
  EXPECT_THAT(url.message, HasSubstr("check its address and that it runs"));
  const auto file = refusal(database("/dev/null/orders.db"));
  EXPECT_THAT(file.message, HasSubstr("/dev/null"));
}

TEST(Engines, WhatNamesNoDatabaseIsRefused) {
  const auto expect_refused = [](const Storage& storage, const char* says) {
    const auto error = refusal(storage);
    EXPECT_EQ(error.code, ErrorCode::invalid_input);
    EXPECT_THAT(error.message, HasSubstr(says));
    Engine engine{storage};
    EXPECT_EQ(engine.verify().error().code, ErrorCode::invalid_input);
  };
  expect_refused(postgres("orders.db"), "use postgres://USER@HOST/NAME");
  expect_refused(postgres(""), "use postgres://USER@HOST/NAME");
  expect_refused(sqlite(server_url()), "use perdure::postgres");
  expect_refused(sqlite(""), "the path of a file");
  expect_refused(postgres(server_url(), {.lease = 999ms}), "from 1 s to a day");
  expect_refused(postgres(server_url(), {.lease = std::chrono::years(1000)}), "from 1 s to a day");
  expect_refused(postgres(server_url(), {.schema = "Orders; DROP"}), "lower case letters");
  EXPECT_THAT(refusal(postgres(server_url(), {.schema = "colon", .node_name = "a:b"})).message,
              HasSubstr("choose one without"));
}

TEST(Engines, ASchemaIsMadeOnlyWhenAllowed) {
  const auto url = server_url();
  const auto refused = refusal(postgres(url, {.schema = "never_made", .migrate = false}));
  EXPECT_EQ(refused.code, ErrorCode::conflict);
  EXPECT_THAT(refused.message, HasSubstr("run \"perdure migrate\" first"));
  const Database database;
  EXPECT_THAT(database.rows("SELECT nspname FROM pg_namespace WHERE nspname = 'never_made'"),
              testing::IsEmpty());
}

TEST(Engines, ANewerSchemaIsLeftAlone) {
  const Database database;
  {
    ASSERT_TRUE(Engine{database.storage()}.open());
  }
  database.run(
      "INSERT INTO schema_migration SELECT 9999, 'future', checksum, applied_at "
      "FROM schema_migration LIMIT 1");
  const auto refused = refusal(database.storage());
  EXPECT_EQ(refused.code, ErrorCode::conflict);
  EXPECT_THAT(refused.message, HasSubstr("newer than this program"));
}

TEST(Engines, RightsThatAreMissingAreNamedAndOnceGrantedItOpens) {
  const Database database;
  database.run("CREATE ROLE bare LOGIN");
  Engine engine{postgres(server_url("bare"), {.schema = database.schema()})};
  const auto refused = engine.open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("permission denied"), HasSubstr("grant it as docs/operations.md")));
  database.run("GRANT CREATE ON DATABASE postgres TO bare");
  const auto opened = engine.open();
  EXPECT_TRUE(opened) << opened.error().message;
}

TEST(Engines, APasswordIsNotTold) {
  const auto refused = refusal(postgres("postgres://perdure:secret@localhost:1/none"));
  EXPECT_THAT(refused.message, Not(HasSubstr("secret")));
}

} // namespace
} // namespace perdure::sharing
