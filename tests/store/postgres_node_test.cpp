// Many nodes on one PostgreSQL: who wins, who waits, what a lost connection does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "life.h"
#include "postgres_fixture.h"
#include "store/postgres/store.h"

namespace perdure::store::postgres {
namespace {

using test::kStart;
using test::Life;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class PostgresNodes : public testing::Test {
protected:
  PostgresNodes() {
    auto first = postgres::open(options_);
    EXPECT_TRUE(first) << first.error().message;
    first_ = std::move(*first);
    auto second = postgres::open(options_);
    EXPECT_TRUE(second) << second.error().message;
    second_ = std::move(*second);
    facts::ProcessDefinition definition;
    definition.process_id = "order";
    definition.kind = facts::DefinitionKind::flow;
    definition_id_ = first_.store->deploy({.processes = {definition}, .models = {}})
                         .value()
                         .processes.front()
                         .id;
  }

  /// A saved instance with one ready task.
  Life waiting() { return waiting_on(*first_.store); }
  Life waiting_on(Store& store) {
    Life life(store.take_keys(200).value(), definition_id_);
    life.start();
    life.open_work(life.place(life.root, "charge"));
    save(store, life);
    return life;
  }

  static void save(Store& store, Life& life) {
    const std::vector<Unit> units{life.unit()};
    const auto outcomes = store.commit(units);
    ASSERT_TRUE(outcomes) << outcomes.error().message;
    ASSERT_TRUE(outcomes->front()) << outcomes->front().error().message;
    life.saved();
  }

  static Life::Work work_of(const Life& life) {
    const auto& task = life.state.external_tasks.slots().front().row;
    return {task.step_id, task.id};
  }

  static std::vector<Key> instances(const std::vector<ReadyTask>& tasks) {
    std::vector<Key> ids;
    for (const auto& task : tasks)
      ids.push_back(task.instance_id);
    return ids;
  }

  Options options_ = options_of(fresh_schema_name());
  Database first_;
  Database second_;
  Key definition_id_ = kNoKey;
};

TEST_F(PostgresNodes, KeysOfTwoNodesAreApart) {
  const auto mine = first_.store->take_keys(100'000).value();
  const auto yours = second_.store->take_keys(200'000).value();
  const auto mine_too = first_.store->take_keys(100'000).value();
  EXPECT_EQ(yours.left(), 200'000);
  EXPECT_TRUE(mine.end <= yours.next || yours.end <= mine.next);
  EXPECT_TRUE(mine_too.end <= yours.next || yours.end <= mine_too.next);
  EXPECT_GE(mine_too.next, mine.end);
}

TEST_F(PostgresNodes, OneOfTwoDecisionsWins) {
  auto left = waiting();
  auto right = left;
  left.lock(work_of(left), "left");
  right.lock(work_of(right), "right");
  save(*first_.store, left);
  const std::vector<Unit> units{right.unit()};
  const auto outcomes = second_.store->commit(units).value();
  ASSERT_FALSE(outcomes.front());
  EXPECT_EQ(outcomes.front().error().code, ErrorCode::conflict);
  EXPECT_EQ(second_.counters->conflicts, 1);
  const std::vector<Key> ids{left.id()};
  test::expect_equal(second_.store->load(ids).value().front(), left.state);
  EXPECT_EQ(second_.store->versions(ids).value().front().version, left.state.instance.version);
}

TEST_F(PostgresNodes, LoserDoesNotHoldTheOthersUp) {
  auto contested = waiting();
  auto overtaken = contested;
  auto calm = waiting();
  contested.lock(work_of(contested), "w");
  save(*first_.store, contested);
  overtaken.lock(work_of(overtaken), "w");
  calm.lock(work_of(calm), "w");
  const std::vector<Unit> units{overtaken.unit(), calm.unit()};
  const auto outcomes = second_.store->commit(units).value();
  EXPECT_EQ(outcomes[0].error().code, ErrorCode::conflict);
  EXPECT_TRUE(outcomes[1]);
  EXPECT_EQ(second_.counters->commits, 1);
}

TEST_F(PostgresNodes, OnlyTheGuiltyUnitOfABatchIsRefused) {
  std::vector<Life> lives;
  for (int i = 0; i < 9; ++i) {
    lives.emplace_back(first_.store->take_keys(100).value(), definition_id_);
    lives.back().start(Object{}, i == 3 || i == 7 ? "same" : std::to_string(i), true);
  }
  std::vector<Unit> units;
  for (const auto& life : lives)
    units.push_back(life.unit());
  const auto outcomes = first_.store->commit(units).value();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i].has_value(), i != 7) << i;
  }
  EXPECT_EQ(outcomes[7].error().where, "process_instance_business_key_once");
  EXPECT_EQ(first_.counters->refused, 1);
  EXPECT_THAT(first_.reader->instance_ids({}).value(), SizeIs(8));
}

TEST_F(PostgresNodes, ClaimsArePassedOverByOthersUntilTheRoundEnds) {
  const auto one = waiting();
  const auto two = waiting();
  const auto claimed = first_.store->ready_tasks("payment", kStart, 1).value();
  ASSERT_THAT(claimed, SizeIs(1));
  const auto left = second_.store->ready_tasks("payment", kStart, 10).value();
  EXPECT_THAT(left, SizeIs(1));
  EXPECT_NE(left.front().instance_id, claimed.front().instance_id);
  EXPECT_THAT(first_.store->ready_tasks("payment", kStart, 10).value(), SizeIs(1));
  first_.store->end_round();
  second_.store->end_round();
  EXPECT_THAT(instances(second_.store->ready_tasks("payment", kStart, 10).value()),
              ElementsAre(one.id(), two.id()));
  second_.store->end_round();
}

TEST_F(PostgresNodes, DueRowsAreClaimedToo) {
  auto order = waiting();
  order.lock(work_of(order), "w", Duration(10));
  save(*first_.store, order);
  const auto later = kStart + Duration(1000);
  EXPECT_THAT(first_.store->due_rows(later, 10).value(), SizeIs(1));
  EXPECT_THAT(second_.store->due_rows(later, 10).value(), IsEmpty());
  // The claim becomes the transaction of the commit.
  order.now = later;
  order.fail(work_of(order), 2);
  save(*first_.store, order);
  EXPECT_THAT(second_.store->due_rows(later, 10).value(), IsEmpty());
}

TEST_F(PostgresNodes, CommitWaitsForAClaimAndThenWins) {
  auto order = waiting();
  ASSERT_THAT(first_.store->ready_tasks("payment", kStart, 1).value(), SizeIs(1));
  auto calm = waiting_on(*second_.store);
  order.lock(work_of(order), "w");
  calm.lock(work_of(calm), "w");
  const std::vector<Unit> units{order.unit(), calm.unit()};
  auto outcomes = std::async(std::launch::async, [&] { return second_.store->commit(units); });
  // The free one is saved before the other is waited for.
  while (second_.counters->commits < 2)
    std::this_thread::yield();
  first_.store->end_round();
  const auto done = outcomes.get().value();
  EXPECT_TRUE(done[0]);
  EXPECT_TRUE(done[1]);
}

TEST_F(PostgresNodes, AnInstanceThatAFrozenNodeKeepsIsAConflictNotAStandstill) {
  auto order = waiting();
  ASSERT_THAT(first_.store->ready_tasks("payment", kStart, 1).value(), SizeIs(1));
  order.lock(work_of(order), "w");
  const std::vector<Unit> units{order.unit()};
  const auto outcomes = second_.store->commit(units).value();
  EXPECT_EQ(outcomes.front().error().code, ErrorCode::conflict);
  first_.store->end_round();
  save(*second_.store, order);
}

TEST_F(PostgresNodes, WhoHoldsAnInstanceKeepsItUntilTheRoundEnds) {
  auto order = waiting();
  const std::vector<Key> ids{order.id()};
  ASSERT_TRUE(first_.store->hold(ids));
  EXPECT_THAT(second_.store->ready_tasks("payment", kStart, 10).value(), IsEmpty());
  auto waits = std::async(std::launch::async, [&] { return second_.store->hold(ids); });
  order.lock(work_of(order), "w");
  save(*first_.store, order);
  EXPECT_TRUE(waits.get());
  EXPECT_EQ(second_.store->versions(ids).value().front().version, order.state.instance.version);
  // Not for ever.
  const auto refused = first_.store->hold(ids);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  second_.store->end_round();
  EXPECT_TRUE(first_.store->hold(ids));
  first_.store->end_round();
}

TEST_F(PostgresNodes, TwoNodesDeployOneVersion) {
  facts::ProcessDefinition definition;
  definition.process_id = "invoice";
  definition.source = "<definitions/>";
  definition.digest = std::string(64, 'a');
  const auto deploy = [&](Database& database) {
    return std::async(std::launch::async, [&] {
      return database.store->deploy({.processes = {definition}, .models = {}})
          .value()
          .processes.front()
          .id;
    });
  };
  auto first = deploy(first_);
  auto second = deploy(second_);
  EXPECT_EQ(first.get(), second.get());
}

TEST_F(PostgresNodes, ManyNodesOnTheSameInstancesLoseNothing) {
  constexpr int kNodes = 4;
  constexpr int kSteps = 10;
  std::vector<Life> lives;
  for (int i = 0; i < 6; ++i)
    lives.push_back(waiting());
  std::atomic<int> wins{0};
  const auto work = [&] {
    auto database = postgres::open(options_).value();
    for (int step = 0; step < kSteps;) {
      std::vector<Key> ids;
      for (const auto& life : lives)
        ids.push_back(life.id());
      auto states = database.store->load(ids).value();
      std::vector<Life> copies;
      for (std::size_t i = 0; i < states.size(); ++i) {
        auto& copy = copies.emplace_back(KeyRange{}, definition_id_);
        copy.saved_version = states[i].instance.version;
        copy.state = std::move(states[i]);
        copy.root = lives[i].root;
        copy.emit(facts::VariablesSet{copy.root, Object{{"step", step}}});
      }
      std::vector<Unit> units;
      for (const auto& copy : copies)
        units.push_back(copy.unit());
      const auto outcomes = database.store->commit(units).value();
      for (const auto& outcome : outcomes) {
        if (outcome) ++wins;
        if (!outcome)
          EXPECT_EQ(outcome.error().code, ErrorCode::conflict) << outcome.error().message;
      }
      ++step;
    }
  };
  {
    std::vector<std::jthread> nodes;
    for (int i = 0; i < kNodes; ++i)
      nodes.emplace_back(work);
  }
  std::int64_t versions = 0;
  for (const auto& life : lives) {
    versions += first_.reader->instance(life.id()).value()->version - life.saved_version;
  }
  EXPECT_EQ(versions, wins);
  EXPECT_GE(wins, kSteps * 6);
}

TEST_F(PostgresNodes, ACutConnectionIsUnavailableAndComesBack) {
  auto order = waiting();
  const auto cut = [&] {
    ASSERT_TRUE(connect(options_.schema)
                    ->script("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                             "WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"));
  };
  // Idle connections that were cut are replaced without a word.
  cut();
  const std::vector<Key> ids{order.id()};
  EXPECT_THAT(first_.store->load(ids).value(), SizeIs(1));
  EXPECT_TRUE(first_.reader->instance(order.id()).value());
  // Claims are lost with their connection, and the round with them.
  ASSERT_THAT(first_.store->ready_tasks("payment", kStart, 1).value(), SizeIs(1));
  cut();
  order.lock(work_of(order), "w");
  const std::vector<Unit> units{order.unit()};
  const auto refused = first_.store->commit(units);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  save(*first_.store, order);
}

TEST_F(PostgresNodes, AServerThatIsAwayAndComesBackLosesNothing) {
  auto order = waiting();
  cluster().kill();
  const std::vector<Key> ids{order.id()};
  const auto loaded = first_.store->load(ids);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::unavailable);
  EXPECT_THAT(loaded.error().message, testing::HasSubstr("cannot be reached"));
  EXPECT_EQ(first_.reader->instance(order.id()).error().code, ErrorCode::unavailable);
  ASSERT_TRUE(cluster().restart());
  // The next try is made a moment later.
  Result<std::vector<facts::InstanceState>> states;
  while (!(states = first_.store->load(ids)))
    std::this_thread::yield();
  test::expect_equal(states->front(), order.state);
  order.lock(work_of(order), "w");
  save(*first_.store, order);
}

TEST_F(PostgresNodes, ANodeThatStoodStillForTooLongLosesItsClaimsAndGoesOn) {
  auto order = waiting();
  auto impatient = engine_connection(options_);
  impatient.idle_in_transaction_timeout = Duration(50);
  PostgresStore frozen(Link(impatient), Link(engine_connection(options_)),
                       std::make_shared<Counters>(), channel_of(options_));
  ASSERT_THAT(frozen.ready_tasks("payment", kStart, 1).value(), SizeIs(1));
  // Frozen: another node takes what it had claimed.
  while (second_.store->ready_tasks("payment", kStart, 1).value().empty())
    std::this_thread::yield();
  second_.store->end_round();
  order.lock(work_of(order), "w");
  const std::vector<Unit> units{order.unit()};
  const auto refused = frozen.commit(units);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << refused.error().message;
  save(frozen, order);
}

TEST_F(PostgresNodes, CommitsOfOthersWakeAWatch) {
  std::promise<void> connected;
  std::promise<void> woken;
  std::atomic<int> calls{0};
  const auto watching = postgres::watch(options_, second_, [&] {
    const int call = ++calls;
    if (call == 1) connected.set_value();
    if (call == 2) woken.set_value();
  });
  connected.get_future().wait();
  waiting();
  EXPECT_EQ(woken.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST_F(PostgresNodes, ClockIsTheDatabases) {
  const auto connection = connect(options_.schema);
  const auto text =
      texts_of(*connection, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint");
  const auto difference = to_ms(first_.clock->now()) - std::stoll(text.front());
  EXPECT_LT(std::abs(difference), 1'000);
  auto last = first_.clock->now();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(first_.clock->measure(*connection));
    EXPECT_GE(first_.clock->now(), last);
    last = first_.clock->now();
  }
}

TEST(PostgresOpen, AServerThatIsNotThereIsUnavailable) {
  const auto opened = postgres::open({.url = "postgres:///nothing?host=/nowhere"});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::unavailable);
}

TEST(PostgresOpen, ASchemaNameIsAName) {
  for (const auto& name :
       std::vector<std::string>{"", "1a", "A", "a; DROP", "\"", std::string(64, 'a')}) {
    auto options = options_of(name);
    const auto opened = postgres::open(options);
    ASSERT_FALSE(opened) << name;
    EXPECT_EQ(opened.error().code, ErrorCode::invalid_input);
  }
}

TEST(PostgresOpen, PasswordsAreNotShown) {
  EXPECT_EQ(without_password("postgres://ada:secret@db:5432/perdure"),
            "postgres://ada:***@db:5432/perdure");
  EXPECT_EQ(without_password("postgres://ada@db/perdure"), "postgres://ada@db/perdure");
  EXPECT_EQ(without_password("postgres://db/perdure?user=ada&password=secret&x=1"),
            "postgres://db/perdure?user=ada&password=***&x=1");
  EXPECT_EQ(without_password("postgres://a:p@ss@db/x"), "postgres://a:***@db/x");
}

} // namespace
} // namespace perdure::store::postgres
