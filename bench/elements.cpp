#include "bench/elements.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "app/compile.h"
#include "base/log.h"
#include "bench/backend.h"
#include "bench/cpu.h"
#include "bench/element_models.h"
#include "engine/engine.h"

namespace perdure::bench {

namespace {

constexpr std::string_view kDecision = R"(<definitions id="fees" name="Fees" namespace="fees"
  xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"><inputData id="n" name="n">
<variable name="n"/></inputData><decision id="fee" name="fee"><variable name="fee"/>
<informationRequirement id="r"><requiredInput href="#n"/></informationRequirement>
<literalExpression><text>n * 2</text></literalExpression></decision></definitions>)";

/// Told of user tasks that are there and instances that have ended.
class Watch final : public engine::Listener {
public:
  void committed(const facts::InstanceState& state, std::span<const facts::Fact> facts) override {
    {
      const std::lock_guard lock(mutex_);
      for (const auto& fact : facts) {
        const auto* step = std::get_if<facts::StepOpened>(&fact.data);
        if (step && step->user) tasks_.push_back(step->user->task_id);
      }
      // Called instances end for themselves.
      const auto& instance = state.instance;
      if (instance.status == facts::InstanceStatus::completed && !instance.parent_instance_id) {
        ++ended_;
      }
    }
    changed_.notify_all();
  }

  std::vector<Key> await_tasks(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tasks_.size() >= count; });
    return std::exchange(tasks_, {});
  }
  void await_ends(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ >= count; });
    ended_ -= count;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Key> tasks_;
  int ended_ = 0;
};

/// Sends many commands at once and waits for all answers.
template <class T>
class Burst {
public:
  engine::Reply<T> next() {
    auto promise = std::make_shared<std::promise<engine::Answer<T>>>();
    answers_.push_back(promise->get_future());
    return [promise](engine::Answer<T> answer) { promise->set_value(std::move(answer)); };
  }
  void wait() {
    for (auto& answer : answers_) {
      if (const auto got = answer.get(); !got) give_up(got.error().message);
    }
  }

private:
  std::vector<std::future<engine::Answer<T>>> answers_;
};

struct Cost {
  double statements = 0;
  double rows = 0;
  double us = 0;
};
Cost operator-(const Cost& more, const Cost& less) {
  return {more.statements - less.statements, more.rows - less.rows, more.us - less.us};
}

class Bench {
public:
  Bench(Backend backend, int instances) : backend_(std::move(backend)), instances_(instances) {
    engine_ = std::make_unique<engine::Engine>(std::move(backend_.store), app::compile,
                                               *backend_.clock, log_, engine::Options{});
    engine_->handle("work", [](const engine::Job&) -> engine::JobResult { return Value(); });
    engine_->listen(watch_);
    if (const auto started = engine_->start(); !started) give_up(started.error().message);
    deploy("fees.dmn", std::string(kDecision));
    for (const auto& model : element_models())
      deploy(model.kind + ".bpmn", source_of(model));
  }

  /// Of one instance, without anything taken off.
  Cost run(const ElementModel& model) {
    const auto used = backend_.usage();
    const auto began = own_cpu_seconds();
    Burst<engine::Started> starts;
    for (int i = 0; i < instances_; ++i) {
      engine::StartCommand command{.process_id = model.kind};
      command.variables = Object{{"key", std::to_string(i)}, {"n", 0}};
      engine_->start_instance(std::move(command), starts.next());
    }
    starts.wait();
    act(model.deed);
    watch_.await_ends(instances_);
    const auto seconds = own_cpu_seconds() - began;
    settle();
    const auto use = backend_.usage() - used;
    return {static_cast<double>(use.statements) / instances_,
            static_cast<double>(use.rows) / instances_, seconds * 1e6 / instances_};
  }

private:
  void deploy(const std::string& name, const std::string& source) {
    const auto deployed = engine::ask<engine::Deployed>([&](auto reply) {
      engine_->deploy({.resources = {{name, source}}, .tenant_id = {}}, std::move(reply));
    });
    if (deployed) return;
    for (const auto& found : deployed.error().diagnostics)
      std::fprintf(stderr, "%s\n", definition::to_text(found).c_str());
    give_up(name + ": " + deployed.error().message);
  }

  void act(Deed deed) {
    if (deed == Deed::finish) {
      Burst<engine::Done> done;
      for (const auto id : watch_.await_tasks(static_cast<std::size_t>(instances_)))
        engine_->complete_user_task({.task_id = id}, done.next());
      done.wait();
    } else if (deed == Deed::message) {
      Burst<engine::Correlated> sent;
      for (int i = 0; i < instances_; ++i) {
        engine_->send_message({.name = "m", .correlation_key = std::to_string(i)}, sent.next());
      }
      sent.wait();
    } else if (deed == Deed::signal) {
      Burst<engine::Done> sent;
      engine_->send_signal({.name = "s"}, sent.next());
      sent.wait();
    }
  }

  /// What was thrown is delivered after its instance has ended, and belongs to the cost.
  void settle() {
    for (std::int64_t rows = -1; rows != backend_.usage().rows;) {
      rows = backend_.usage().rows;
      engine_->wake();
      const auto none = engine::ask<std::vector<engine::Job>>([&](auto reply) {
        (void)engine_->fetch({.worker_id = "nobody", .task_types = {"nothing"}}, std::move(reply));
      });
      if (!none) give_up(none.error().message);
    }
  }

  NullLog log_;
  Watch watch_;
  Backend backend_;
  int instances_;
  std::unique_ptr<engine::Engine> engine_;
};

} // namespace

void element_costs(Figures& figures, const std::string& folder, int instances) {
  Bench bench(open_sqlite(folder), instances);
  (void)bench.run(element_models().front()); // warm
  std::map<std::string, Cost> costs;
  std::string table = "element                                 statements     rows       us\n";
  for (const auto& model : element_models()) {
    auto whole = bench.run(model);
    for (int again = 0; again < 4; ++again)
      whole.us = std::min(whole.us, bench.run(model).us);
    costs[model.kind] = whole;
    auto cost = model.less.empty() ? whole : whole - costs[model.less];
    cost = {cost.statements / model.count, cost.rows / model.count, cost.us / model.count};
    const auto name = "element_" + (model.less.empty() ? "start_gateway_and_end" : model.kind);
    figures.add(name + "_statements", cost.statements);
    figures.add(name + "_rows", cost.rows);
    figures.add(name + "_us", cost.us);
    char line[96];
    std::snprintf(line, sizeof line, "%-38s %11.2f %8.2f %8.1f\n", name.c_str() + 8,
                  cost.statements, cost.rows, cost.us);
    table += line;
  }
  std::printf("\n%s", table.c_str());
}

} // namespace perdure::bench
