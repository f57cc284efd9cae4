#include "cluster/load.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "cli/program.h"

namespace perdure::cluster_test {

using cli_test::at;
using cli_test::text_at;

namespace {

constexpr int kWaitMs = 500;
constexpr int kMostTasks = 4;
constexpr int kKeyPercent = 50;
constexpr int kHoldBackPercent = 1;
constexpr std::chrono::milliseconds kPause{50};

std::string order_name(int number) { return "order-" + std::to_string(number); }

/// Every other start is made safe by its idempotency key, the rest by a business key that only one
/// instance may have.
bool has_idempotency_key(int number) { return number % 2 == 0; }

Value order_request(int number) {
  Object request{{"process_def_id", "storm"},
                 {"business_key", order_name(number)},
                 {"variables", Object{{"order", number}}}};
  if (!has_idempotency_key(number)) request.set("unique_business_key", true);
  return request;
}

/// Whether the refusal is one that a worker may meet whose lock ran out, or who asks twice.
bool is_late(const Answer& answer) {
  return answer.status == 409 && (answer.violation == "ExternalTaskLeaseConflict" ||
                                  answer.violation == "TokenFinalizedTwice");
}

std::string service(const std::string& id) {
  return "<serviceTask id=\"" + id + "\"><extensionElements><zeebe:taskDefinition type=\"" + id +
         "\" retries=\"500\"/></extensionElements></serviceTask>\n";
}

std::string flow(const std::string& from, const std::string& to) {
  return "<sequenceFlow id=\"" + from + "_" + to + "\" sourceRef=\"" + from + "\" targetRef=\"" +
         to + "\"/>\n";
}

} // namespace

std::string storm_model() {
  return R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
             xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="test">
<process id="storm" isExecutable="true">
<startEvent id="begin"/>
<parallelGateway id="fork"/>
<intermediateCatchEvent id="rest"><timerEventDefinition>
<timeDuration>PT1S</timeDuration></timerEventDefinition></intermediateCatchEvent>
<parallelGateway id="join"/>
<endEvent id="end"/>
)" + service("charge") +
         service("notify") + service("pack") + flow("begin", "fork") + flow("fork", "charge") +
         flow("charge", "join") + flow("fork", "rest") + flow("rest", "notify") +
         flow("notify", "join") + flow("fork", "pack") + flow("pack", "join") +
         flow("join", "end") + "</process>\n</definitions>\n";
}

std::optional<int> count_completed(Effects& watcher) {
  const auto rows =
      watcher.rows("SELECT count(*) FROM perdure.process_instance WHERE status = 'completed'");
  if (!rows) return std::nullopt;
  return std::stoi(rows->front().front());
}

Load::Load(const Addresses& addresses, Traffic& traffic, const LoadOptions& options)
    : addresses_(addresses), traffic_(traffic), options_(options) {}

Load::~Load() {
  finished_ = true;
  for (auto& thread : threads_)
    thread.join();
}

void Load::begin() {
  for (int i = 0; i < options_.starters; ++i)
    threads_.emplace_back([this, i] { start_orders(i); });
  for (int i = 0; i < options_.workers; ++i)
    threads_.emplace_back([this, i] { work(i); });
}

void Load::wait_for_completed(Effects& watcher, int instances) {
  while (count_completed(watcher).value_or(0) < instances)
    addresses_.wait_for_change(kPause);
}

void Load::finish() {
  finished_ = true;
  for (auto& thread : threads_)
    thread.join();
  threads_.clear();
  // Whose task was done before they were even told of it.
  Caller caller(addresses_, traffic_, options_.seed, 0);
  Effects effects(options_.database_url);
  while (!held_back_.empty()) {
    auto later = held_back_.begin()->second;
    later.effect.attempt += 1;
    ASSERT_TRUE(wake_laggard(caller, effects, later));
  }
}

int Load::started() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(instances_.size());
}

std::map<std::string, std::string> Load::instances() const {
  const std::lock_guard lock(mutex_);
  return instances_;
}

std::string Load::describe() const {
  return std::to_string(started()) + " of " + std::to_string(options_.instances) +
         " instances started, " + std::to_string(traffic_.answers.load()) + " answers, " +
         std::to_string(traffic_.losses.load()) + " requests without answer, " +
         std::to_string(traffic_.unavailable.load()) + " answers 503, " +
         std::to_string(late_.load()) + " completions refused, " +
         std::to_string(laggards_.load()) + " workers woken late";
}

// ---- clients

void Load::start_orders(int starter) {
  const auto number = static_cast<std::uint64_t>(starter);
  Caller caller(addresses_, traffic_, options_.seed + 1'000 + number, number % addresses_.count());
  while (true) {
    const int order = next_order_++;
    if (order >= options_.instances || !start_order(caller, order)) return;
  }
}

bool Load::start_order(Caller& caller, int number) {
  const auto name = order_name(number);
  const auto answer = caller.post("/process-instances", order_request(number),
                                  has_idempotency_key(number) ? name : std::string());
  if (!answer) return false;
  std::string id;
  if (answer->status == 409) {
    EXPECT_EQ(answer->violation, "BusinessKeyTaken") << name;
    EXPECT_TRUE(answer->uncertain && !has_idempotency_key(number)) << name;
    id = text_at(at(answer->body, "existing_instance_id"));
  } else {
    EXPECT_TRUE(answer->status == 201 || (answer->status == 200 && answer->uncertain))
        << name << ": " << answer->status;
    EXPECT_EQ(answer->replayed, answer->status == 200) << name;
    id = text_at(at(answer->body, "id"));
  }
  const std::lock_guard lock(mutex_);
  instances_[name] = id;
  return true;
}

// ---- workers

void Load::work(int number) {
  const auto worker = static_cast<std::uint64_t>(number);
  Caller caller(addresses_, traffic_, options_.seed + 2'000 + worker, worker % addresses_.count());
  Effects effects(options_.database_url);
  random::Chance chance(options_.seed + 3'000 + worker);
  const auto worker_id = "worker-" + std::to_string(number);
  while (!finished_ && fetch(caller, effects, chance, worker_id)) {
  }
}

bool Load::fetch(Caller& caller, Effects& effects, random::Chance& chance,
                 const std::string& worker_id) {
  const auto answer = caller.post("/external-tasks/fetch-and-lock",
                                  Object{{"worker_id", worker_id},
                                         {"task_types", Array{"charge", "notify", "pack"}},
                                         {"max_tasks", 1 + chance.below(kMostTasks)},
                                         {"lock_duration_ms", kLockMs},
                                         {"wait_ms", kWaitMs}});
  if (!answer) return false;
  EXPECT_EQ(answer->status, 200);
  const auto tasks = at(answer->body, "tasks");
  for (int i = 0; i < static_cast<int>(cli_test::size_of(tasks)); ++i) {
    const auto task = at(tasks, i);
    const auto attempt = at(task, "attempt");
    EXPECT_NE(attempt.as<std::int64_t>(), nullptr);
    const Job job{.effect = {.task_id = text_at(at(task, "id")),
                             .node_id = text_at(at(task, "node_id")),
                             .attempt = *attempt.as<std::int64_t>(),
                             .worker_id = worker_id},
                  .instance_id = text_at(at(task, "instance_id"))};
    if (!do_job(caller, effects, chance, job)) return false;
  }
  return true;
}

bool Load::do_job(Caller& caller, Effects& effects, random::Chance& chance, const Job& job) {
  if (chance.hits(kHoldBackPercent)) {
    const std::lock_guard lock(mutex_);
    if (held_back_.emplace(job.effect.task_id, job).second) return true;
  }
  bool counts = false;
  if (!apply(effects, job.effect, counts)) return false;
  if (counts && !wake_laggard(caller, effects, job)) return false;
  return complete(caller, job, counts, chance.hits(kKeyPercent));
}

bool Load::apply(Effects& effects, const Effect& effect, bool& counts) {
  for (;;) {
    const auto applied = effects.apply(effect);
    if (applied) {
      counts = *applied;
      return true;
    }
    if (addresses_.is_called_off()) return false;
    addresses_.wait_for_change(kPause);
  }
}

bool Load::complete(Caller& caller, const Job& job, bool counts, bool with_key) {
  const auto& effect = job.effect;
  const auto answer = caller.post(
      "/external-tasks/" + effect.task_id + "/complete",
      Object{{"worker_id", effect.worker_id},
             {"attempt", effect.attempt},
             {"instance_id", job.instance_id}},
      with_key ? "done-" + effect.task_id + "-" + std::to_string(effect.attempt) : std::string());
  if (!answer) return false;
  EXPECT_TRUE(is_late(*answer) || (counts && answer->status == 200))
      << answer->status << " " << answer->violation << ", attempt " << effect.attempt << " of task "
      << effect.task_id;
  if (answer->status != 200) ++late_;
  return true;
}

bool Load::wake_laggard(Caller& caller, Effects& effects, const Job& later) {
  Job laggard;
  {
    const std::lock_guard lock(mutex_);
    const auto found = held_back_.find(later.effect.task_id);
    if (found == held_back_.end() || found->second.effect.attempt >= later.effect.attempt) {
      return true;
    }
    laggard = found->second;
    held_back_.erase(found);
  }
  ++laggards_;
  bool counts = true;
  if (!apply(effects, laggard.effect, counts)) return false;
  EXPECT_FALSE(counts) << "attempt " << laggard.effect.attempt << " of task "
                       << laggard.effect.task_id << " had its effect after a later one";
  return complete(caller, laggard, counts, false);
}

} // namespace perdure::cluster_test
