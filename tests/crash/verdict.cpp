#include "crash/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cli/program.h"
#include "crash/load.h"

namespace perdure::crash_test {

using cli_test::at;
using cli_test::size_of;
using cli_test::text_at;

namespace {

/// All items behind a path that answers in pages.
std::vector<Value> all_of(Caller& caller, const std::string& path) {
  std::vector<Value> all;
  std::string after;
  for (;;) {
    const auto page = caller.get(path + "?limit=200" + after);
    if (!page || page->status != 200) {
      ADD_FAILURE() << path << " is not answered";
      return all;
    }
    const auto items = at(page->body, "items");
    for (int i = 0; i < static_cast<int>(size_of(items)); ++i)
      all.push_back(at(items, i));
    const auto next = at(page->body, "next_after");
    if (next.is_null()) return all;
    after = "&after=" + text_at(next);
  }
}

std::set<std::string> expected_steps(int order) {
  std::set<std::string> slugs{"reserve-inventory", "charge-payment", "pack-order",
                              "send-confirmation", "ship-order"};
  if (is_large_order(order)) slugs.insert("approve-order");
  return slugs;
}

/// The attempt that succeeded: the last of 1, 2, 3, ... and the only one.
Value check_attempts(const Value& step, const std::string& name) {
  const auto attempts = at(step, "attempts");
  const auto count = static_cast<int>(size_of(attempts));
  EXPECT_EQ(at(step, "attempt_count"), Value(count)) << name;
  EXPECT_GE(count, 1) << name;
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(at(attempts, i, "number"), Value(i + 1)) << name;
    const auto state = text_at(at(attempts, i, "state"));
    const bool is_last = i + 1 == count;
    EXPECT_EQ(state == "succeeded", is_last) << name << " attempt " << i + 1 << " " << state;
    EXPECT_NE(state, "started") << name << " attempt " << i + 1;
  }
  return count > 0 ? at(attempts, count - 1) : Value();
}

void check_step(const Ledger& ledger, const Value& step) {
  const auto instance_id = text_at(at(step, "instance_id"));
  const auto node_id = text_at(at(step, "node_id"));
  const auto name = node_id + " of instance " + instance_id;
  EXPECT_EQ(text_at(at(step, "status")), "completed") << name;
  const auto succeeded = check_attempts(step, name);
  const auto proof = text_at(at(step, "output", "proof"));
  EXPECT_EQ(at(succeeded, "result", "proof"), Value(proof)) << name;

  const auto sent = ledger.completions_of(instance_id, node_id);
  const auto done = std::ranges::find(sent, proof, &Completion::proof);
  if (done == sent.end()) {
    ADD_FAILURE() << name << " was completed by \"" << proof << "\", which no worker sent";
    return;
  }
  EXPECT_EQ(at(succeeded, "worker_id"), Value(done->worker_id)) << name;
  EXPECT_EQ(at(succeeded, "number"), Value(done->attempt)) << name;
  for (const auto& completion : sent) {
    EXPECT_EQ(completion.task_id, done->task_id) << name << " had two tasks";
    if (completion.acknowledged) EXPECT_EQ(completion.proof, proof) << name;
  }
}

} // namespace

void check_orders(Caller& caller, const Ledger& ledger, int orders) {
  const auto acknowledged = ledger.instances();
  EXPECT_EQ(acknowledged.size(), static_cast<std::size_t>(orders));
  const auto instances = all_of(caller, "/process-instances");
  EXPECT_EQ(instances.size(), static_cast<std::size_t>(orders));
  std::set<std::string> seen;
  for (const auto& instance : instances) {
    const auto name = text_at(at(instance, "business_key"));
    EXPECT_TRUE(seen.insert(name).second) << name << " was started twice";
    EXPECT_EQ(text_at(at(instance, "status")), "completed") << name;
    const auto known = acknowledged.find(name);
    if (known == acknowledged.end()) {
      ADD_FAILURE() << name << " was never acknowledged";
    } else {
      EXPECT_EQ(text_at(at(instance, "id")), known->second) << name;
    }
  }
}

void check_repeated_starts(Caller& caller, const Ledger& ledger, int orders) {
  const auto acknowledged = ledger.instances();
  for (int number = 0; number < orders; ++number) {
    const auto name = order_name(number);
    const auto again = caller.post("/process-instances", order_request(number), name);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->status, 200) << name;
    EXPECT_TRUE(again->replayed) << name;
    EXPECT_EQ(text_at(at(again->body, "id")), acknowledged.at(name)) << name;
  }
}

void check_steps(Caller& caller, const Ledger& ledger, int orders) {
  const auto acknowledged = ledger.instances();
  for (int number = 0; number < orders; ++number) {
    const auto& id = acknowledged.at(order_name(number));
    const auto answer = caller.get("/process-instances/" + id + "/steps");
    ASSERT_TRUE(answer);
    const auto steps = at(answer->body, "items");
    const auto expected = expected_steps(number);
    EXPECT_EQ(size_of(steps), expected.size()) << "instance " << id;
    std::set<std::string> slugs;
    for (int i = 0; i < static_cast<int>(size_of(steps)); ++i) {
      slugs.insert(text_at(at(steps, i, "slug")));
      check_step(ledger, at(steps, i));
    }
    EXPECT_EQ(slugs, expected) << "instance " << id;
  }
}

void check_nothing_open(Caller& caller) {
  EXPECT_EQ(all_of(caller, "/tasks").size(), 0U);
  EXPECT_EQ(all_of(caller, "/dead-letters").size(), 0U);
  const auto stuck = caller.get("/process-instances?incidents=true");
  ASSERT_TRUE(stuck);
  EXPECT_EQ(size_of(at(stuck->body, "items")), 0U);
}

} // namespace perdure::crash_test
