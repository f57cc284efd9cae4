// What a store must find for the engine, and a reader for people.
#include <thread>

#include "base/json.h"
#include "conformance.h"
#include "facts/fact.h"

namespace perdure::store {
namespace {

using test::kStart;
using test::Life;
using testing::ElementsAre;
using testing::IsEmpty;

class ConformanceRead : public Conformance {
protected:
  std::vector<Key> ready(const std::string& type, Instant now, std::int64_t limit = 10) {
    std::vector<Key> ids;
    for (const auto& task : store().ready_tasks(type, now, limit).value())
      ids.push_back(task.task_id);
    return ids;
  }

  template <class Row>
  static std::vector<Key> ids(const Result<std::vector<Row>>& rows) {
    EXPECT_TRUE(rows);
    std::vector<Key> ids;
    for (const auto& row : *rows) {
      if constexpr (std::is_same_v<Row, InstanceSummary>) {
        ids.push_back(row.first.id);
      } else {
        ids.push_back(row.id);
      }
    }
    return ids;
  }

  std::vector<facts::ProcessDefinition> deploy_rows(std::vector<facts::ProcessDefinition> rows) {
    return store().deploy({.processes = std::move(rows), .models = {}}).value().processes;
  }
};

TEST_P(ConformanceRead, DeployNumbersTheVersionsOfAProcess) {
  const auto first = deploy_rows({definition("order", 'a'), definition("claim", 'a')});
  EXPECT_EQ(first.at(0).version, 1);
  EXPECT_EQ(first.at(1).version, 1);
  EXPECT_NE(first.at(0).id, first.at(1).id);
  const auto same = deploy_rows({definition("order", 'a')});
  EXPECT_EQ(same.at(0), first.at(0));
  const auto next = deploy_rows({definition("order", 'b')});
  EXPECT_EQ(next.at(0).version, 2);
  const auto back = deploy_rows({definition("order", 'a')});
  EXPECT_EQ(back.at(0).version, 3);
  EXPECT_EQ(store().latest_definition("", "order").value(), back.at(0));
  EXPECT_EQ(store().definition(next.at(0).id).value(), next.at(0));
  EXPECT_FALSE(store().latest_definition("tenant", "order").value());
  EXPECT_FALSE(store().definition(999'999).value());
  EXPECT_THAT(ids(reader().definitions({})),
              ElementsAre(back.at(0).id, next.at(0).id, first.at(1).id, first.at(0).id));
  EXPECT_THAT(ids(reader().definitions({.limit = 1, .after = next.at(0).id})),
              ElementsAre(first.at(1).id));
  EXPECT_EQ(reader().definition(first.at(0).id).value(), first.at(0));
}

TEST_P(ConformanceRead, DeployAddsAllOrNone) {
  auto broken = definition("claim", 'b');
  broken.source.reset();
  const auto refused =
      store().deploy({.processes = {definition("order", 'a'), broken}, .models = {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "process_definition_source");
  EXPECT_THAT(reader().definitions({}).value(), IsEmpty());
}

TEST_P(ConformanceRead, RowsLeadToTheirInstance) {
  auto order = life();
  order.start();
  const auto work = order.open_work(order.place(order.root, "charge"));
  const auto user = order.open_user_work(order.place(order.root, "approve"));
  const auto incident = order.keys.take();
  order.emit(facts::IncidentOpened{incident, order.place(order.root, "gate"), "gate",
                                   facts::IncidentKind::no_outgoing_flow, "No flow.", Object{}});
  save(order);
  EXPECT_EQ(store().instance_of_task(work.task_id).value(), order.id());
  EXPECT_EQ(store().instance_of_user_task(user.task_id).value(), order.id());
  EXPECT_EQ(store().instance_of_incident(incident).value(), order.id());
  EXPECT_FALSE(store().instance_of_task(user.task_id).value());
  EXPECT_FALSE(store().instance_of_user_task(work.task_id).value());
  EXPECT_FALSE(store().instance_of_incident(work.task_id).value());
}

TEST_P(ConformanceRead, EndedTasksTellTheirState) {
  auto order = life();
  order.start();
  const auto work = order.open_work(order.place(order.root, "charge"));
  const auto user = order.open_user_work(order.place(order.root, "approve"));
  order.lock(work, "worker-1");
  order.succeed(work);
  order.emit(facts::StepCompleted{user.step_id, Object{{"ok", true}}});
  save(order);
  EXPECT_EQ(store().external_task(work.task_id).value()->state, facts::TaskState::completed);
  EXPECT_EQ(store().user_task(user.task_id).value()->state, facts::UserTaskState::completed);
  EXPECT_FALSE(store().external_task(1).value());
}

TEST_P(ConformanceRead, ReadyTasksComeBestFirst) {
  auto order = life();
  order.start();
  const auto plain = order.open_work(order.place(order.root, "a"));
  const auto other = order.open_work(order.place(order.root, "b"), "shipping");
  const auto urgent = order.open_work(order.place(order.root, "c"), "payment", 3, 9);
  const auto locked = order.open_work(order.place(order.root, "d"));
  order.lock(locked, "worker-1");
  const auto delayed = order.open_work(order.place(order.root, "e"));
  order.lock(delayed, "worker-1");
  order.fail(delayed, 2, Duration(500));
  order.now += Duration(100);
  const auto younger = order.open_work(order.place(order.root, "f"));
  save(order);
  EXPECT_THAT(ready("payment", kStart), ElementsAre(urgent.task_id, plain.task_id));
  EXPECT_THAT(ready("payment", kStart + Duration(100)),
              ElementsAre(urgent.task_id, plain.task_id, younger.task_id));
  EXPECT_THAT(ready("payment", kStart + Duration(500)),
              ElementsAre(urgent.task_id, plain.task_id, younger.task_id, delayed.task_id));
  EXPECT_THAT(ready("payment", kStart + Duration(500), 1), ElementsAre(urgent.task_id));
  EXPECT_THAT(ready("shipping", kStart), ElementsAre(other.task_id));
  EXPECT_THAT(ready("unknown", kStart), IsEmpty());
}

TEST_P(ConformanceRead, DueRowsAreTheLongestOverdueFirst) {
  auto order = life();
  order.start();
  const auto timer = order.open_timer(order.place(order.root, "nap"), kStart + Duration(300));
  const auto later = order.open_timer(order.place(order.root, "sleep"), kStart + Duration(900));
  const auto work = order.open_work(order.place(order.root, "charge"));
  order.lock(work, "worker-1", Duration(200));
  const auto left = order.place(order.root, "print"); // ready since the start
  save(order);
  const auto due = [&](Duration after, std::int64_t limit = 10) {
    std::vector<std::pair<DueRow::Kind, Key>> rows;
    for (const auto& row : store().due_rows(kStart + after, limit).value()) {
      EXPECT_EQ(row.instance_id, order.id());
      rows.emplace_back(row.kind, row.id);
    }
    return rows;
  };
  using Kind = DueRow::Kind;
  EXPECT_THAT(due(Duration(-1)), IsEmpty());
  EXPECT_THAT(due(Duration(0)), ElementsAre(std::pair(Kind::ready_token, left)));
  EXPECT_THAT(due(Duration(300)), ElementsAre(std::pair(Kind::ready_token, left),
                                              std::pair(Kind::task_lock, work.task_id),
                                              std::pair(Kind::timer, timer.task_id)));
  EXPECT_THAT(due(Duration(1000), 2), ElementsAre(std::pair(Kind::ready_token, left),
                                                  std::pair(Kind::task_lock, work.task_id)));
  EXPECT_EQ(due(Duration(1000)).back(), std::pair(Kind::timer, later.task_id));
}

TEST_P(ConformanceRead, NextDueIsWhatComesAfterNow) {
  EXPECT_FALSE(store().next_due(kStart).value());
  auto order = life();
  order.start();
  const auto work = order.open_work(order.place(order.root, "charge"));
  save(order);
  EXPECT_FALSE(store().next_due(kStart).value()); // ready already
  order.open_timer(order.place(order.root, "nap"), kStart + Duration(900));
  order.lock(work, "worker-1", Duration(500));
  save(order);
  EXPECT_EQ(store().next_due(kStart).value(), kStart + Duration(500));
  EXPECT_EQ(store().next_due(kStart + Duration(500)).value(), kStart + Duration(900));
  order.fail(work, 1, Duration(700));
  save(order);
  EXPECT_EQ(store().next_due(kStart).value(), kStart + Duration(700));
  EXPECT_FALSE(store().next_due(kStart + Duration(900)).value());
}

TEST_P(ConformanceRead, LocksAreFoundByThePrefixOfTheirHolder) {
  auto order = life();
  order.start();
  std::vector<Life::Work> works;
  for (const auto* worker : {"node_1:a", "node_1:b", "nodeX1:a", "node_2:a", "%"}) {
    works.push_back(order.open_work(order.place(order.root, "charge")));
    order.lock(works.back(), worker);
  }
  save(order);
  const auto locks = [&](std::string_view prefix, std::int64_t limit = 10) {
    std::vector<Key> ids;
    for (const auto& row : store().locks_of(prefix, limit).value()) {
      EXPECT_EQ(row.kind, DueRow::Kind::task_lock);
      ids.push_back(row.id);
    }
    return ids;
  };
  EXPECT_THAT(locks("node_1:"), ElementsAre(works[0].task_id, works[1].task_id));
  EXPECT_THAT(locks("%"), ElementsAre(works[4].task_id));
  EXPECT_THAT(locks("node", 2).size(), 2U);
  EXPECT_THAT(locks("other"), IsEmpty());
}

TEST_P(ConformanceRead, InstancesAreFilteredAndPaged) {
  auto running = life();
  running.start(Object{}, "A-1");
  auto done = life();
  done.start(Object{}, "A-2");
  done.finish();
  auto stuck = life("claim");
  stuck.start(Object{}, "A-1", false, "", "claim");
  stuck.emit(facts::IncidentOpened{stuck.keys.take(), stuck.place(stuck.root, "gate"), "gate",
                                   facts::IncidentKind::no_outgoing_flow, "No flow.", Object{}});
  for (auto* each : {&running, &done, &stuck})
    save(*each);
  const auto find = [&](const InstanceFilter& filter, const Page& page = {}) {
    return ids(reader().instances(filter, page));
  };
  EXPECT_THAT(find({}), ElementsAre(stuck.id(), done.id(), running.id()));
  EXPECT_THAT(find({}, {.limit = 1, .after = stuck.id()}), ElementsAre(done.id()));
  EXPECT_THAT(find({.process_id = "order"}), ElementsAre(done.id(), running.id()));
  EXPECT_THAT(find({.status = facts::InstanceStatus::running}),
              ElementsAre(stuck.id(), running.id()));
  EXPECT_THAT(find({.status = facts::InstanceStatus::completed}), ElementsAre(done.id()));
  EXPECT_THAT(find({.status = facts::InstanceStatus::failed}), IsEmpty());
  EXPECT_THAT(find({.business_key = "A-1"}), ElementsAre(stuck.id(), running.id()));
  EXPECT_THAT(find({.process_id = "order", .business_key = "A-1"}), ElementsAre(running.id()));
  EXPECT_THAT(find({.business_key = "A-1", .only_incidents = true}), ElementsAre(stuck.id()));
  EXPECT_THAT(find({.only_incidents = true}), ElementsAre(stuck.id()));
  EXPECT_THAT(find({.process_id = "order", .only_incidents = true}), IsEmpty());
  EXPECT_THAT(find({.process_id = "order", .status = facts::InstanceStatus::running}),
              ElementsAre(running.id()));
  EXPECT_EQ(reader().instance(done.id()).value(), done.state.instance);
  EXPECT_FALSE(reader().instance(999'999).value());
  EXPECT_THAT(reader().instance_ids({}).value(), ElementsAre(running.id(), done.id(), stuck.id()));
  EXPECT_THAT(reader().instance_ids({.limit = 1, .after = running.id()}).value(),
              ElementsAre(done.id()));
}

TEST_P(ConformanceRead, CalledInstancesAreFoundByTheirCaller) {
  auto caller = life();
  caller.start();
  const auto called = [&](std::string_view business_key) {
    const auto token = caller.place(caller.root, "call");
    auto child = life();
    child.emit(facts::InstanceStarted{.instance_id = child.keys.take(),
                                      .definition_id = child.definition_id,
                                      .tenant_id = "",
                                      .process_id = "order",
                                      .business_key = std::string(business_key),
                                      .root_scope_id = child.keys.take(),
                                      .input = Object{},
                                      .parent_instance_id = caller.id(),
                                      .parent_token_id = token});
    auto call = caller.step(token, facts::StepType::call_activity);
    call.called_instance_id = child.id();
    caller.emit(std::move(call));
    save(caller);
    save(child);
    return child.id();
  };
  const auto first = called("A");
  const auto second = called("B");
  const auto find = [&](const InstanceFilter& filter, const Page& page = {}) {
    return ids(reader().instances(filter, page));
  };
  EXPECT_THAT(find({.parent_id = caller.id()}), ElementsAre(second, first));
  EXPECT_THAT(find({.parent_id = caller.id()}, {.limit = 1}), ElementsAre(second));
  EXPECT_THAT(find({.parent_id = caller.id()}, {.limit = 1, .after = second}), ElementsAre(first));
  EXPECT_THAT(find({.business_key = "A", .parent_id = caller.id()}), ElementsAre(first));
  EXPECT_THAT(find({.only_incidents = true, .parent_id = caller.id()}), IsEmpty());
  EXPECT_THAT(find({.parent_id = first}), IsEmpty());
}

TEST_P(ConformanceRead, AuditIsFilteredAndPaged) {
  auto order = life();
  order.start();
  auto other = life();
  other.start();
  save(order);
  save(other);
  const auto entry = [this](Life& of, std::string actor, std::string action) {
    facts::AuditEntry made{.id = of.keys.take(),
                           .tenant_id = "",
                           .instance_id = of.id(),
                           .actor = std::move(actor),
                           .action = std::move(action),
                           .details = Object{{"n", 1}},
                           .occurred_at = kStart};
    of.emit(facts::VariablesSet{.scope_id = of.root, .variables = Object{{"n", 1}}});
    auto unit = of.unit();
    unit.audit.push_back(made);
    EXPECT_TRUE(store().commit(std::vector{unit}).value().front());
    of.saved();
    return made;
  };
  const auto pause = entry(order, "ada", "pause_instance");
  const auto resume = entry(order, "kim", "resume_instance");
  const auto cancel = entry(other, "ada", "cancel_instance");
  const auto find = [&](const AuditFilter& filter, const Page& page = {}) {
    auto found = ids(reader().audit(filter, page));
    std::ranges::sort(found);
    return found;
  };
  const auto sorted = [](std::vector<Key> keys) {
    std::ranges::sort(keys);
    return keys;
  };
  EXPECT_EQ(find({}), sorted({pause.id, resume.id, cancel.id}));
  EXPECT_EQ(find({.instance_id = order.id()}), sorted({pause.id, resume.id}));
  EXPECT_EQ(find({.actor = "ada"}), sorted({pause.id, cancel.id}));
  EXPECT_EQ(find({.instance_id = order.id(), .actor = "ada"}), sorted({pause.id}));
  EXPECT_EQ(find({.action = "cancel_instance"}), sorted({cancel.id}));
  EXPECT_THAT(find({.actor = "nobody"}), IsEmpty());
  const auto newest = reader().audit({.instance_id = order.id()}, {.limit = 1}).value();
  ASSERT_EQ(newest.size(), 1U);
  EXPECT_EQ(newest.front(), resume);
  EXPECT_EQ(reader().audit({.instance_id = order.id()}, {.limit = 1, .after = resume.id}).value(),
            std::vector{pause});
}

TEST_P(ConformanceRead, TasksAreFilteredAndPaged) {
  auto order = life();
  order.start();
  const auto open = order.open_work(order.place(order.root, "charge"));
  const auto closed = order.open_work(order.place(order.root, "check"));
  order.lock(closed, "worker-1");
  order.succeed(closed);
  const auto kim = order.open_user_work(order.place(order.root, "approve"), "kim");
  const auto anyone = order.open_user_work(order.place(order.root, "review"));
  const auto past = order.open_user_work(order.place(order.root, "sign"), "kim");
  order.emit(facts::StepCompleted{past.step_id, {}});
  save(order);
  auto second = life();
  second.start();
  const auto elsewhere = second.open_work(second.place(second.root, "ship"), "shipping");
  save(second);
  const auto work = [&](const TaskFilter& filter, const Page& page = {}) {
    return ids(reader().external_tasks(filter, page));
  };
  EXPECT_THAT(work({}), ElementsAre(open.task_id, elsewhere.task_id));
  EXPECT_THAT(work({.only_open = false}),
              ElementsAre(open.task_id, closed.task_id, elsewhere.task_id));
  EXPECT_THAT(
      work({.instance_id = order.id(), .only_open = false}, {.limit = 9, .after = open.task_id}),
      ElementsAre(closed.task_id));
  EXPECT_THAT(work({.type = "shipping"}), ElementsAre(elsewhere.task_id));
  EXPECT_THAT(work({.instance_id = order.id()}), ElementsAre(open.task_id));
  const auto people = [&](const TaskFilter& filter, const Page& page = {}) {
    return ids(reader().user_tasks(filter, page));
  };
  EXPECT_THAT(people({}), ElementsAre(kim.task_id, anyone.task_id));
  EXPECT_THAT(people({}, {.limit = 1, .after = kim.task_id}), ElementsAre(anyone.task_id));
  EXPECT_THAT(people({.assignee = "kim"}), ElementsAre(kim.task_id));
  EXPECT_THAT(people({.assignee = "kim", .only_open = false}),
              ElementsAre(kim.task_id, past.task_id));
  EXPECT_THAT(people({.instance_id = second.id()}), IsEmpty());
  EXPECT_THAT(people({.instance_id = order.id(), .assignee = "kim"}), ElementsAre(kim.task_id));
  EXPECT_THAT(people({.only_open = false}), ElementsAre(kim.task_id, anyone.task_id, past.task_id));
}

TEST_P(ConformanceRead, DeadLettersAreThoseStillOpen) {
  auto order = life();
  order.start();
  const auto first = order.keys.take();
  const auto second = order.keys.take();
  for (const auto letter : {first, second}) {
    order.emit(facts::DeadLetterOpened{
        letter, {}, facts::DeadLetterKind::expired_message, "Nobody waited.", Object{}});
  }
  order.emit(facts::DeadLetterClosed{first, facts::DeadLetterState::discarded});
  save(order);
  EXPECT_THAT(ids(reader().dead_letters({})), ElementsAre(second));
}

TEST_P(ConformanceRead, HistoryIsPaged) {
  auto order = life();
  order.start();
  for (int i = 0; i < 5; ++i)
    order.emit(facts::VariablesSet{order.root, Object{{"i", i}}});
  save(order);
  const auto page = reader().history(order.id(), 2, 3).value();
  ASSERT_EQ(page.size(), 3U);
  EXPECT_EQ(page.front().sequence, 3);
  EXPECT_EQ(page.back().sequence, 5);
  EXPECT_EQ(page.front().event_type, "variables_set");
  EXPECT_EQ(page.front().category, "variable");
  EXPECT_EQ(page.front().occurred_at, kStart);
  EXPECT_EQ(*page.front().payload.find("variables")->find("i"), Value(1));
  EXPECT_THAT(reader().history(order.id(), 6, 100).value(), IsEmpty());
}

/// Property 3: folding the recorded facts gives exactly the rows.
TEST_P(ConformanceRead, RecordIsWhatTheHistorySays) {
  auto order = life();
  order.start(Object{{"amount", 0.1}});
  const auto token = order.place(order.root, "charge");
  const auto work = order.open_work(token);
  order.lock(work, "worker-1");
  order.fail(work, 2);
  save(order);
  order.now += Duration(250);
  order.lock(work, "worker-2");
  order.succeed(work, Object{{"receipt", nullptr}});
  const auto user = order.open_user_work(order.place(order.root, "approve"));
  order.open_timer(order.place(order.root, "nap"), kStart + Duration(900));
  save(order);
  order.emit(facts::StepCancelled{user.step_id});
  const auto join = order.keys.take();
  order.emit(facts::JoinOpened{join, order.root, "join", 1, 2});
  order.emit(facts::JoinArrived{join, "left", token});
  save(order);
  const auto record = reader().record(order.id()).value();
  ASSERT_TRUE(record);
  facts::InstanceState folded;
  for (const auto& event : record->history) {
    auto data = facts::read_fact(event.event_type, json::write(event.payload));
    ASSERT_TRUE(data) << data.error().message;
    facts::apply(folded, {event.sequence, event.occurred_at, std::move(*data)});
  }
  test::expect_equal(record->rows, folded);
  EXPECT_EQ(reader().scopes(order.id()).value(), test::rows(folded.scopes));
  EXPECT_EQ(reader().tokens(order.id()).value(), test::rows(folded.tokens));
  EXPECT_EQ(reader().timers(order.id()).value(), test::rows(folded.timers));
  EXPECT_EQ(reader().attempts(order.id()).value(), test::rows(folded.attempts));
  EXPECT_THAT(reader().incidents(order.id()).value(), IsEmpty());
  EXPECT_FALSE(reader().record(999'999).value());
}

TEST_P(ConformanceRead, AcknowledgedWritesAreSeenAtOnce) {
  auto order = life();
  order.start();
  save(order);
  for (int i = 0; i < 50; ++i) {
    order.emit(facts::VariablesSet{order.root, Object{{"i", i}}});
    save(order);
    EXPECT_EQ(reader().instance(order.id()).value()->version, order.state.instance.version);
  }
}

TEST_P(ConformanceRead, ManyThreadsReadBesideTheWriter) {
  auto order = life();
  order.start();
  save(order);
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      std::int64_t last = 0;
      while (!stop) {
        const auto record = reader().record(order.id());
        // One read transaction: rows and history are of the same moment.
        const bool fits = record && *record &&
                          (*record)->rows.instance.last_sequence ==
                              static_cast<std::int64_t>((*record)->history.size()) &&
                          (*record)->rows.instance.version >= last;
        if (!fits) ++failures;
        if (fits) last = (*record)->rows.instance.version;
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    order.emit(facts::VariablesSet{order.root, Object{{"i", i}}});
    save(order);
  }
  stop = true;
  threads.clear();
  EXPECT_EQ(failures, 0);
}

TEST_P(ConformanceRead, StepsAndTheirAttemptsComeInPages) {
  auto order = life();
  order.start();
  std::vector<Key> steps;
  for (int i = 0; i < 5; ++i) {
    const auto work =
        order.open_work(order.place(order.root, "node" + std::to_string(i)), "payment", 2);
    steps.push_back(work.step_id);
    for (int attempt = 0; attempt <= i % 2; ++attempt) {
      order.lock(work, "w");
      order.release(work);
    }
  }
  save(order);
  EXPECT_EQ(ids(reader().steps(order.id())), steps);
  EXPECT_EQ(ids(reader().steps(order.id(), {.after_ordinal = 1, .limit = 2})),
            (std::vector<Key>{steps[1], steps[2]}));
  EXPECT_EQ(ids(reader().steps(order.id(), {.after_ordinal = 5})), std::vector<Key>{});
  const auto attempts =
      reader().attempts(order.id(), {.after_ordinal = 1, .last_ordinal = 3}).value();
  ASSERT_EQ(attempts.size(), 3U);
  EXPECT_EQ(attempts[0].step_id, steps[1]);
  EXPECT_EQ(attempts[1].number, 2);
  EXPECT_EQ(attempts[2].step_id, steps[2]);
  EXPECT_EQ(reader().attempts(order.id()).value().size(), 7U);
}

TEST_P(ConformanceRead, ListsSayHowManyIncidentsAreOpen) {
  auto order = life();
  order.start();
  for (int i = 0; i < 3; ++i) {
    order.emit(facts::IncidentOpened{order.keys.take(), order.place(order.root, "charge"), "charge",
                                     facts::IncidentKind::expression_error, "x", Object{}});
    if (i == 0) {
      const auto first = order.state.incidents.slots().front().row.id;
      order.emit(facts::IncidentResolved{first, "kim", false});
    }
  }
  save(order);
  auto other = life();
  other.start();
  save(other);
  for (const auto& [instance, open] : reader().instances({}, {.limit = 10}).value())
    EXPECT_EQ(open, instance.id == order.id() ? 2 : 0);
  const auto stuck = reader().instances({.only_incidents = true}, {.limit = 10}).value();
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck.front().second, 2);
}

TEST_P(ConformanceRead, TheNextKeyIsAboveAllThatWereTaken) {
  const auto keys = store().take_keys(1'000).value();
  EXPECT_GE(reader().next_key().value(), keys.end);
  EXPECT_GE(store().take_keys(1).value().next, keys.end);
  EXPECT_GT(reader().schema_version().value(), 0);
}

TEST_P(ConformanceRead, RememberedCommandsComeInPages) {
  auto order = life();
  order.start();
  auto unit = order.unit();
  for (const auto* key : {"a", "b", "c"}) {
    for (const auto* tenant : {"x", "y"}) {
      unit.idempotency.push_back({.key = key,
                                  .tenant_id = tenant,
                                  .request_digest = std::string(64, 'a'),
                                  .outcome = "{}",
                                  .created_at = order.now,
                                  .expires_at = order.now + Duration(1'000)});
    }
  }
  const std::vector<Unit> units{unit};
  ASSERT_TRUE(store().commit(units).value().front());
  std::string seen;
  IdempotencyPage page{.limit = 4, .after_key = {}, .after_tenant_id = {}};
  for (;;) {
    const auto records = reader().idempotency_records(page).value();
    for (const auto& record : records)
      seen += record.key + record.tenant_id + " ";
    if (records.size() < 4) break;
    page.after_key = records.back().key;
    page.after_tenant_id = records.back().tenant_id;
  }
  EXPECT_EQ(seen, "ax ay bx by cx cy ");
}

INSTANTIATE_TEST_SUITE_P(Database, ConformanceRead, testing::Values(&open_database));

} // namespace
} // namespace perdure::store
