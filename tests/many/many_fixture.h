// Engines with flows on either database, one or several on PostgreSQL, on a clock that the tests
// move; looked at in the rows.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/fixture.h"
#include "flows/flow_code.h"
#include "perdure/flow.h"
#include "store/store.h"

namespace perdure::engine {

/// The tests' server; nullptr when there is none.
[[nodiscard]] std::string server_url();

enum class Database { sqlite, postgres };

/// One engine with what it is made of.
struct FlowNode {
  std::shared_ptr<Faults> faults = std::make_shared<Faults>();
  Watcher watcher;
  std::shared_ptr<store::Reader> reader;
  std::unique_ptr<Engine> engine;

  ~FlowNode() { faults->commit_gate.open(); }
};

class ManyFlows : public testing::Test {
protected:
  explicit ManyFlows(Database database);
  ~ManyFlows() override;

  /// An engine of that name with these flows, begun.
  [[nodiscard]] std::unique_ptr<FlowNode> make(const std::string& name, std::vector<FlowCode> codes,
                                               Options options = {});
  /// What a frozen or killed process is to the others: it does nothing more, and its lease runs
  /// out.
  void freeze(FlowNode& node);
  static void thaw(FlowNode& node);

  template <class T>
  Answer<T> ask(const std::function<void(Reply<T>)>& send) {
    auto [reply, future] = promise_reply<T>();
    send(std::move(reply));
    return take(future);
  }
  Key start(FlowNode& node, StartCommand command);
  Key start(FlowNode& node, const std::string& flow = "flow") {
    return start(node, {.process_id = flow, .variables = Object{}});
  }
  void send(FlowNode& node, Key id, std::string_view event);
  [[nodiscard]] std::string cancel(FlowNode& node, Key id);
  [[nodiscard]] std::string schedule(FlowNode& node, ScheduleCommand command);
  [[nodiscard]] std::string unschedule(FlowNode& node, const std::string& name);
  void move_clock(Duration by, FlowNode& node);
  /// Returns when a sweep and all that was sent before are done.
  void settle(FlowNode& node);

  [[nodiscard]] store::InstanceRecord record(Key id);
  [[nodiscard]] facts::InstanceStatus status(Key id) { return record(id).rows.instance.status; }
  [[nodiscard]] bool has_ended(Key id) { return facts::is_terminal(status(id)); }
  /// "state node" of each attempt that a process made.
  [[nodiscard]] std::vector<std::string> attempts(Key id);
  [[nodiscard]] std::vector<Key> instances();
  /// How many have that status.
  [[nodiscard]] std::int64_t count(facts::InstanceStatus status);
  /// The first column of a query for which there is no reader.
  [[nodiscard]] std::vector<std::string> texts(const std::string& query);
  /// "waits", "runs" or "left", and how many, of those with limits.
  [[nodiscard]] std::map<std::string, int> slots();

  VirtualClock& clock() { return clock_; }
  MemoryLog& log() { return log_; }

private:
  struct Opened {
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::Reader> reader;
  };
  [[nodiscard]] Opened open();

  const Database database_;
  std::filesystem::path folder_;
  std::string schema_;
  VirtualClock clock_;
  MemoryLog log_;
  std::shared_ptr<store::Reader> reader_;
};

/// Of those that hold on either database.
class EveryDatabase : public ManyFlows, public testing::WithParamInterface<Database> {
protected:
  EveryDatabase() : ManyFlows(GetParam()) {}
  void SetUp() override {
    if (GetParam() == Database::postgres && server_url().empty()) GTEST_SKIP() << "no server";
  }
};

/// Of those that need two nodes.
class TwoNodes : public ManyFlows {
protected:
  TwoNodes() : ManyFlows(Database::postgres) {}
  void SetUp() override {
    if (server_url().empty()) GTEST_SKIP() << "no server";
  }
};

} // namespace perdure::engine
