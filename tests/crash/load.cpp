#include "crash/load.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <utility>

#include "cli/program.h"

namespace perdure::crash_test {

using cli_test::at;
using cli_test::text_at;

namespace {

constexpr int kSmallAmount = 200;
constexpr int kLargeAmount = 1'500;
constexpr int kLockMs = 1'500;
constexpr int kWaitMs = 400;
constexpr int kMostTasks = 5;
constexpr std::chrono::milliseconds kOperatorLooks{250};

constexpr int kRepeatPercent = 10;
constexpr int kFailPercent = 8;
constexpr int kExtendPercent = 10;
constexpr int kKeyPercent = 50;

const Array& task_types() {
  static const Array kTypes{"reserve-inventory", "charge-payment",    "approve-order",
                            "pack-order",        "send-confirmation", "ship-order"};
  return kTypes;
}

std::int64_t int_at(const Value& value) {
  const auto* number = value.as<std::int64_t>();
  EXPECT_NE(number, nullptr);
  return number != nullptr ? *number : 0;
}

std::string path_of(const Value& job, std::string_view action) {
  return "/external-tasks/" + text_at(at(job, "id")) + "/" + std::string(action);
}

/// Whether the refusal is one that a worker may meet whose lock ran out, or who asks twice.
bool is_late(const Answer& answer) {
  return answer.status == 409 && (answer.violation == "ExternalTaskLeaseConflict" ||
                                  answer.violation == "TokenFinalizedTwice");
}

} // namespace

std::string order_name(int number) { return "order-" + std::to_string(number); }

bool is_large_order(int number) { return number % 2 == 1; }

Value order_request(int number) {
  return Object{
      {"process_def_id", "order-fulfilment"},
      {"business_key", order_name(number)},
      {"variables", Object{{"order_id", order_name(number)},
                           {"customer", "Ada"},
                           {"amount", is_large_order(number) ? kLargeAmount : kSmallAmount}}}};
}

Load::Load(Address& address, Traffic& traffic, Ledger& ledger, const LoadOptions& options)
    : address_(address), traffic_(traffic), ledger_(ledger), options_(options) {}

Load::~Load() {
  if (!is_finished()) address_.call_off();
  changed_.notify_all();
  for (auto& thread : threads_)
    thread.join();
}

void Load::begin() {
  for (int i = 0; i < options_.starters; ++i)
    threads_.emplace_back([this, i] { start_orders(i); });
  for (int i = 0; i < options_.workers; ++i)
    threads_.emplace_back([this, i] { work(i); });
  threads_.emplace_back([this] { operate(); });
}

bool Load::is_finished() const {
  const std::lock_guard lock(mutex_);
  return std::cmp_equal(finished_.size(), options_.orders);
}

void Load::wait_until_finished() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return std::cmp_equal(finished_.size(), options_.orders); });
}

std::string Load::describe() const {
  const std::lock_guard lock(mutex_);
  return std::to_string(finished_.size()) + " of " + std::to_string(options_.orders) +
         " orders finished, " + std::to_string(ledger_.instances().size()) + " started, " +
         std::to_string(traffic_.answers()) + " answers, " + std::to_string(traffic_.losses()) +
         " requests without answer, " + std::to_string(settled_.load()) + " completions refused, " +
         std::to_string(failed_.load()) + " attempts failed, " + std::to_string(retried_.load()) +
         " incidents retried";
}

// ---- clients

void Load::start_orders(int starter) {
  Caller caller(address_, traffic_);
  random::Chance chance(options_.seed + 1'000 + static_cast<std::uint64_t>(starter));
  for (int number = next_order_++; number < options_.orders; number = next_order_++) {
    const int life = 1 + number * options_.lives / options_.orders;
    if (!address_.wait_for_life(life) || !start_order(caller, chance, number)) return;
  }
}

bool Load::start_order(Caller& caller, random::Chance& chance, int number) {
  const auto name = order_name(number);
  const auto answer = caller.post("/process-instances", order_request(number), name);
  if (!answer) return false;
  EXPECT_TRUE(answer->status == 201 || (answer->status == 200 && answer->uncertain))
      << name << ": " << answer->status;
  EXPECT_EQ(answer->replayed, answer->status == 200) << name;
  const auto id = text_at(at(answer->body, "id"));
  ledger_.started(name, id);
  if (!chance.hits(kRepeatPercent)) return true;

  const auto again = caller.post("/process-instances", order_request(number), name);
  if (!again) return false;
  EXPECT_EQ(again->status, 200) << name;
  EXPECT_EQ(text_at(at(again->body, "id")), id) << name;
  return true;
}

// ---- workers

void Load::work(int number) {
  Caller caller(address_, traffic_);
  random::Chance chance(options_.seed + 2'000 + static_cast<std::uint64_t>(number));
  const std::string worker_id = "worker-" + std::to_string(number);
  while (!is_finished() && fetch(caller, chance, worker_id)) {
  }
}

bool Load::fetch(Caller& caller, random::Chance& chance, const std::string& worker_id) {
  const auto answer = caller.post("/external-tasks/fetch-and-lock",
                                  Object{{"worker_id", worker_id},
                                         {"task_types", task_types()},
                                         {"max_tasks", 1 + chance.below(kMostTasks)},
                                         {"lock_duration_ms", kLockMs},
                                         {"wait_ms", kWaitMs}});
  if (!answer) return false;
  EXPECT_EQ(answer->status, 200);
  const auto tasks = at(answer->body, "tasks");
  for (int i = 0; i < static_cast<int>(cli_test::size_of(tasks)); ++i) {
    if (!do_job(caller, chance, worker_id, at(tasks, i))) return false;
  }
  return true;
}

bool Load::do_job(Caller& caller, random::Chance& chance, const std::string& worker_id,
                  const Value& job) {
  ledger_.given(text_at(at(job, "id")), int_at(at(job, "attempt")));
  if (chance.hits(kExtendPercent) && !keep_lock(caller, worker_id, job)) return false;
  if (chance.hits(kFailPercent)) return fail_job(caller, chance, worker_id, job);
  return complete_job(caller, chance, worker_id, job);
}

bool Load::keep_lock(Caller& caller, const std::string& worker_id, const Value& job) {
  const auto answer = caller.post(path_of(job, "extend-lock"),
                                  Object{{"worker_id", worker_id}, {"lock_duration_ms", kLockMs}});
  if (!answer) return false;
  EXPECT_TRUE(answer->status == 200 || is_late(*answer)) << answer->status << answer->violation;
  return true;
}

bool Load::fail_job(Caller& caller, random::Chance& chance, const std::string& worker_id,
                    const Value& job) {
  const auto answer =
      caller.post(path_of(job, "fail"), Object{{"worker_id", worker_id},
                                               {"error_name", "OutOfOrder"},
                                               {"error_message", "by lot"},
                                               {"retry_delay_ms", chance.below(50)}});
  if (!answer) return false;
  EXPECT_TRUE(answer->status == 200 || is_late(*answer)) << answer->status << answer->violation;
  if (answer->status == 200) ++failed_;
  return true;
}

bool Load::complete_job(Caller& caller, random::Chance& chance, const std::string& worker_id,
                        const Value& job) {
  Completion completion{.task_id = text_at(at(job, "id")),
                        .instance_id = text_at(at(job, "instance_id")),
                        .node_id = text_at(at(job, "node_id")),
                        .attempt = int_at(at(job, "attempt")),
                        .worker_id = worker_id,
                        .proof = {}};
  const auto name = completion.task_id + "/" + std::to_string(completion.attempt);
  completion.proof = worker_id + " did " + name;
  const auto answer = caller.post(
      path_of(job, "complete"),
      Object{{"worker_id", worker_id}, {"variables", Object{{"proof", completion.proof}}}},
      chance.hits(kKeyPercent) ? "complete-" + name : std::string());
  if (!answer) return false;
  EXPECT_TRUE(answer->status == 200 || is_late(*answer)) << answer->status << answer->violation;
  completion.acknowledged = answer->status == 200;
  if (!completion.acknowledged) ++settled_;
  const bool is_last = completion.node_id == "ship-order";
  const auto instance_id = completion.instance_id;
  ledger_.completed(std::move(completion));
  return !is_last || look_for_end(caller, instance_id, answer->status == 200);
}

bool Load::look_for_end(Caller& caller, const std::string& instance_id, bool must_be_over) {
  const auto answer = caller.get("/process-instances/" + instance_id);
  if (!answer) return false;
  const bool over = text_at(at(answer->body, "status")) == "completed";
  EXPECT_TRUE(over || !must_be_over)
      << "the last task of instance " << instance_id << " was acknowledged, it is not completed";
  if (!over) return true;
  {
    const std::lock_guard lock(mutex_);
    finished_.insert(instance_id);
  }
  changed_.notify_all();
  return true;
}

// ---- operator

/// Failures and lost locks use attempts up; whoever has none left waits for an operator. Nothing
/// tells of an incident, so that he has to look.
void Load::operate() {
  Caller caller(address_, traffic_);
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const bool over = changed_.wait_for(lock, kOperatorLooks, [this] {
        return std::cmp_equal(finished_.size(), options_.orders) || address_.is_called_off();
      });
      if (over) return;
    }
    const auto stuck = caller.get("/process-instances?incidents=true&limit=1000");
    if (!stuck) return;
    const auto items = at(stuck->body, "items");
    for (int i = 0; i < static_cast<int>(cli_test::size_of(items)); ++i) {
      const auto path = "/process-instances/" + text_at(at(items, i, "id")) + "/retry";
      const auto answer = caller.post(path, Object{{"retries", 2}});
      if (!answer) return;
      EXPECT_TRUE(answer->status == 200 || answer->status == 409) << answer->status;
      if (answer->status == 200) ++retried_;
    }
  }
}

} // namespace perdure::crash_test
