#include "bench/flows.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "app/compile.h"
#include "bench/bare_loop.h"
#include "bench/full_load.h"
#include "bench/workload.h"
#include "perdure/flow.h"

namespace perdure::bench {

namespace {

constexpr int kLongSteps = 100'000;

Object receipt(int number) { return Object{{"receipt", number}, {"done", true}}; }

Task<Object> three_steps(Flow& flow) {
  co_await flow.run("reserve", [] { return receipt(1); });
  co_await flow.run("charge", [] { return receipt(2); });
  co_return co_await flow.run("ship", [] { return receipt(3); });
}

Task<void> one_step(Flow& flow) {
  co_await flow.run("only", [] { return receipt(1); });
}

Task<void> hundred_steps(Flow& flow) {
  for (int i = 0; i < 100; ++i)
    co_await flow.run("step-" + std::to_string(i), [i] { return receipt(i); });
}

Task<void> waits(Flow& flow) {
  co_await flow.run("reserve", [] { return receipt(1); });
  co_await flow.wait("paid", "payment.received");
}

Task<void> many_steps(Flow& flow) {
  for (int i = 0; i < kLongSteps; ++i)
    co_await flow.run("step-" + std::to_string(i), [i] { return receipt(i); });
  co_await flow.wait("end", "end");
}

template <auto coroutine>
engine::FlowCode code_of(std::string name) {
  return {.name = std::move(name), .version = 1, .program = [](const Value& input) {
            return flow::program_of<coroutine>().begin(input);
          }};
}

/// Told of every step that a run asks for.
class Steps final : public engine::Listener {
public:
  void committed(const facts::InstanceState& state, std::span<const facts::Fact> facts) override {
    for (const auto& fact : facts) {
      if (std::holds_alternative<facts::FlowStepOpened>(fact.data)) asked.add(state.instance.id);
    }
  }
  Finished asked;
};

/// An engine whose program defines the flows above.
class FlowNode {
public:
  FlowNode(Backend backend, std::function<void(Key)> completed)
      : completions_(std::move(completed)), backend_(std::move(backend)) {
    engine::Options options;
    options.flows.resident = 20'000;
    engine_ = std::make_unique<engine::Engine>(std::move(backend_.store), app::compile,
                                               *backend_.clock, log_, options);
    engine_->define(code_of<three_steps>("three"));
    engine_->define(code_of<one_step>("one"));
    engine_->define(code_of<hundred_steps>("hundred"));
    engine_->define(code_of<waits>("waits"));
    engine_->define(code_of<many_steps>("many"));
    engine_->read_history_with([this](Key id, std::int64_t after, std::int64_t limit) {
      return backend_.reader->history(id, after, limit);
    });
    engine_->listen(completions_);
    engine_->listen(steps_);
    if (auto started = engine_->start(); !started) give_up(started.error().message);
    if (backend_.watch) watch_ = backend_.watch([this] { engine_->wake(); });
  }
  ~FlowNode() {
    watch_.reset();
    engine_->stop();
  }
  FlowNode(const FlowNode&) = delete;
  FlowNode& operator=(const FlowNode&) = delete;

  [[nodiscard]] store::Reader& reader() { return *backend_.reader; }
  [[nodiscard]] Finished& steps() { return steps_.asked; }
  [[nodiscard]] Usage usage() const { return backend_.usage(); }
  void begin(const std::string& name, engine::Reply<engine::Started> reply = {}) {
    engine::StartCommand command{.process_id = name};
    command.variables = Object{{"order_id", "o-4711"}, {"amount", 120}, {"customer", "Ada"}};
    engine_->start_instance(
        std::move(command),
        [reply = std::move(reply)](engine::Answer<engine::Started> answer) mutable {
          if (!answer) give_up(answer.error().message);
          if (reply) reply(std::move(answer));
        });
  }
  [[nodiscard]] Key begin_and_wait(const std::string& name) {
    const auto started =
        engine::ask<engine::Started>([&](auto reply) { begin(name, std::move(reply)); });
    return started->instance_id;
  }
  void send(Key id, const std::string& event) {
    const auto sent = engine::ask<engine::Correlated>([&](auto reply) {
      engine_->send_message({.name = event, .correlation_key = key_text(id), .variables = Object{}},
                            std::move(reply));
    });
    if (!sent) give_up(sent.error().message);
  }

private:
  NullLog log_;
  Completions completions_;
  Steps steps_;
  Backend backend_;
  std::unique_ptr<engine::Engine> engine_;
  std::shared_ptr<void> watch_;
};

struct Load {
  double flows = 0;
  double seconds = 0;
  Usage usage;
  [[nodiscard]] double per_s() const { return flows / seconds; }
};

Load keep_flowing(std::vector<Backend> backends, std::int64_t in_flight, double seconds) {
  Finished finished;
  std::vector<std::unique_ptr<FlowNode>> nodes;
  for (auto& backend : backends) {
    nodes.push_back(
        std::make_unique<FlowNode>(std::move(backend), [&](Key id) { finished.add(id); }));
  }
  std::int64_t started = 0;
  const auto fill = [&](std::int64_t done) {
    for (; started < done + in_flight; ++started)
      nodes[static_cast<std::size_t>(started) % nodes.size()]->begin("three");
  };
  const auto usage = [&] {
    Usage all;
    for (const auto& node : nodes)
      all += node->usage();
    return all;
  };
  const auto batch = std::clamp<std::int64_t>(in_flight / 20, 1, 100);
  fill(0);
  finished.wait_for(in_flight); // warm
  const auto first = finished.count();
  const auto before = usage();
  const auto began = seconds_now();
  while (seconds_now() - began < seconds) {
    const auto done = finished.count();
    fill(done);
    finished.wait_for(done + batch);
  }
  const Load load{.flows = static_cast<double>(finished.count() - first),
                  .seconds = seconds_now() - began,
                  .usage = usage() - before};
  finished.wait_for(started);
  return load;
}

std::vector<Backend> one_file(const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::vector<Backend> backends;
  backends.push_back(open_sqlite(folder));
  return backends;
}

/// One after the other, nothing beside it: milliseconds each.
std::vector<double> alone(FlowNode& node, Finished& finished, const std::string& name, int count) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) {
    const auto done = finished.count();
    const auto began = seconds_now();
    node.begin(name);
    finished.wait_for(done + 1);
    if (i >= count / 10) samples.push_back((seconds_now() - began) * 1e3);
  }
  return samples;
}

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

void latency(Figures& figures, const std::string& folder, double fsync_ms) {
  Finished finished;
  auto backends = one_file(folder);
  FlowNode node(std::move(backends.front()), [&](Key id) { finished.add(id); });
  auto three = alone(node, finished, "three", 500);
  figures.add("flow_p50_ms", percentile(three, 0.5), "one flow of three steps, alone");
  figures.add("flow_p99_ms", percentile(three, 0.99));
  // What one more step costs: a hundred of them, each with the end of the one before.
  const auto before = node.usage();
  auto hundred = alone(node, finished, "hundred", 30);
  const auto used = node.usage() - before;
  const auto step_ms = percentile(hundred, 0.5) / 100;
  figures.add("flow_step_p50_ms", step_ms, "one step of a flow, alone");
  figures.add("flow_step_p50_fsyncs", step_ms / fsync_ms);
  figures.add("flow_commits_per_step", static_cast<double>(used.commits) / (30 * 100));
}

void memory(Figures& figures, const std::string& folder) {
  constexpr int kCount = 10'000;
  Finished finished;
  auto backends = one_file(folder);
  FlowNode node(std::move(backends.front()), [&](Key id) { finished.add(id); });
  const auto warm = node.begin_and_wait("waits");
  node.send(warm, "payment.received");
  finished.wait_for(1);
  const auto before = resident_bytes();
  std::vector<Key> ids;
  for (int i = 0; i < kCount; ++i)
    ids.push_back(node.begin_and_wait("waits"));
  figures.add("flow_bytes_per_suspended", (resident_bytes() - before) / kCount,
              "of a run in memory that waits; one that is not in memory holds none");
}

void replay(Figures& figures, const std::string& folder) {
  Finished finished;
  Key id = kNoKey;
  {
    auto backends = one_file(folder);
    FlowNode node(std::move(backends.front()), [&](Key key) { finished.add(key); });
    const auto began = seconds_now();
    double half = 0;
    id = node.begin_and_wait("many");
    node.steps().wait_for(kLongSteps / 2);
    half = seconds_now();
    const auto at_half = resident_bytes();
    node.steps().wait_for(kLongSteps + 1); // the wait at the end
    figures.add("flow_second_half_ratio", (seconds_now() - half) / (half - began),
                "of one run of 100,000 steps: its second half to its first");
    figures.add("flow_long_run_bytes_per_step", (resident_bytes() - at_half) / (kLongSteps / 2),
                "that memory grows by in the second half");
  }
  auto backends = one_file(folder);
  FlowNode node(std::move(backends.front()), [&](Key key) { finished.add(key); });
  const auto began = seconds_now();
  node.send(id, "end");
  finished.wait_for(1);
  figures.add("flow_replay_steps_per_s", kLongSteps / (seconds_now() - began),
              "a run of 100,000 steps, built anew from its history");
}

store::InstanceRecord finished_flow(const std::string& folder,
                                    facts::ProcessDefinition& definition) {
  Finished finished;
  auto backends = one_file(folder);
  FlowNode node(std::move(backends.front()), [&](Key id) { finished.add(id); });
  node.begin("three");
  auto record = node.reader().record(finished.wait_for(1));
  if (!record || !*record) give_up("the finished flow cannot be read");
  auto stored = node.reader().definition((*record)->rows.instance.definition_id);
  if (!stored || !*stored) give_up("the definition cannot be read");
  definition = std::move(**stored);
  return std::move(**record);
}

} // namespace

double flows_per_s(std::vector<Backend> backends, std::int64_t in_flight, double seconds) {
  return keep_flowing(std::move(backends), in_flight, seconds).per_s();
}

void flows_load(Figures& figures, const std::string& folder, double seconds) {
  std::filesystem::create_directories(folder + "/bare1");
  std::filesystem::create_directories(folder + "/bare2");
  const auto fsync_ms = fsync_p50_ms(folder);
  facts::ProcessDefinition definition;
  const auto sample = finished_flow(folder + "/sample", definition);
  const auto bare_before = bare_rows_per_s(sample, definition, folder + "/bare1", seconds / 2);
  for (const std::int64_t in_flight : {1, 100, 1'000, 10'000}) {
    const auto count = std::to_string(in_flight);
    const auto load = keep_flowing(one_file(folder + "/" + count), in_flight, seconds);
    figures.add("flow_sqlite_flows_per_s_" + count, load.per_s(),
                "three steps each, so many at once, synchronous=FULL");
    figures.add("flow_sqlite_steps_per_s_" + count, 3 * load.per_s());
    if (in_flight != 1'000) continue;
    figures.add("flow_rows_per_flow", static_cast<double>(load.usage.rows) / load.flows);
    figures.add("flow_statements_per_flow",
                static_cast<double>(load.usage.statements) / load.flows);
    const auto bare_after = bare_rows_per_s(sample, definition, folder + "/bare2", seconds / 2);
    figures.add(
        "flow_sqlite_row_ratio",
        static_cast<double>(load.usage.rows) / load.seconds / ((bare_before + bare_after) / 2),
        "rows a second against a bare loop that inserts the same rows");
  }
  latency(figures, folder + "/alone", fsync_ms);
  memory(figures, folder + "/memory");
  replay(figures, folder + "/replay");
}

} // namespace perdure::bench
