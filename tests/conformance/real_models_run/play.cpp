#include "conformance/real_models_run/play.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/fold_check.h"
#include "conformance/corpus.h"

namespace perdure::conformance {

namespace {

using definition::EventKind;
using engine::Done;

constexpr int kMaxSteps = 300;
constexpr int kMaxRetries = 200;

class Play {
public:
  Play(EngineWorld& world, const definition::Definition& definition, const Invention& invention,
       const std::set<std::string>& uncaught, std::uint64_t seed)
      : world_(world),
        definition_(definition),
        invention_(invention),
        uncaught_(uncaught),
        chance_(seed),
        is_patient_(seed == 0) {
    for (const auto& node : definition.nodes()) {
      for (const auto& event : node.events) {
        if (event.kind == EventKind::error) errors_.insert(event.name.text);
        if (event.kind == EventKind::escalation) escalations_.insert(event.name.text);
      }
    }
  }

  PlayResult run(definition::NodeIndex start) {
    PlayResult result;
    result.problem = begin(start);
    for (int step = 0; result.problem.empty() && !has_failed_ && !has_ended(); ++step) {
      is_patient_ |= step > kMaxSteps / 2; // in the end everything is done that was begun
      result.problem = step < kMaxSteps ? act() : "it has not ended after " + where();
    }
    for (const auto id : followed_) {
      const auto record = world_.record(id);
      for (const auto& fact : record.history) {
        const auto* node_id = fact.category == "token" ? fact.payload.find("node_id") : nullptr;
        if (node_id) result.nodes.insert(*node_id->as<std::string>());
      }
      if (result.problem.empty() && !has_failed_) result.problem = problem_at_end(record);
    }
    return result;
  }

private:
  using Acts = std::vector<std::function<std::string()>>;
  using Waits = std::vector<facts::EventSubscription>;

  std::string begin(definition::NodeIndex start) {
    const auto before = world_.instances();
    auto problem = trigger(definition_.node(start));
    rests_ = world_.settle();
    for (const auto id : world_.instances()) {
      if (!contains(before, id)) followed_.push_back(id);
    }
    if (problem.empty() && followed_.empty()) problem = "nothing was started";
    return problem;
  }

  std::string trigger(const definition::Node& start) {
    const auto* event = start.event();
    auto variables = invention_.draw(chance_, is_patient_ ? 100 : 80);
    if (!event) {
      return world_.send<engine::Started>([&](auto& engine, auto reply) {
        engine.start_instance({.process_id = definition_.process_id(), .variables = variables},
                              std::move(reply));
      });
    }
    if (event->kind == EventKind::message) return message(event->name.text, "key", variables);
    if (event->kind == EventKind::signal) return signal(event->name.text, variables);
    // The day of a schedule: far enough for each of the corpus.
    world_.move_to(world_.now() + std::chrono::hours(24));
    return {};
  }

  /// Those that a call of theirs began belong to it.
  void follow() {
    for (const auto id : world_.instances()) {
      if (id <= followed_.back() || contains(followed_, id)) continue;
      const auto parent = world_.instance(id).parent_instance_id;
      if (parent && contains(followed_, *parent)) followed_.push_back(id);
    }
  }

  bool has_ended() {
    follow();
    return std::ranges::all_of(followed_,
                               [&](Key id) { return is_terminal(world_.instance(id).status); });
  }

  /// A circle without any work: other variables may end it.
  std::string leave_circle() {
    std::string problem;
    for (const auto id : followed_) {
      if (is_terminal(world_.instance(id).status)) continue;
      problem = world_.send<Done>(
          [&](auto& engine, auto reply) { engine.pause({.instance_id = id}, std::move(reply)); });
      if (problem.empty()) problem = set_variables(id);
      if (!problem.empty()) return problem;
      problem = world_.send<Done>(
          [&](auto& engine, auto reply) { engine.resume({.instance_id = id}, std::move(reply)); });
    }
    rests_ = world_.settle();
    return problem;
  }

  /// One thing that can happen now, or time.
  std::string act() {
    if (!rests_) return leave_circle();
    Acts work;
    Waits waits;
    std::optional<Instant> next;
    for (const auto id : followed_) {
      const auto rows = world_.record(id).rows;
      if (!is_terminal(rows.instance.status)) collect(rows, work, waits, next);
    }
    std::string problem;
    const bool leaves_work = work.empty() || (!is_patient_ && chance_.hits(30));
    // What is awaited may come for ever: time passes in between.
    if (work.empty()) ++idle_turns_;
    const bool takes_turn = is_patient_ ? idle_turns_ % 2 == 0 : chance_.hits(50);
    const bool lets_time_pass = next && leaves_work && (waits.empty() || takes_turn);
    if (lets_time_pass) {
      world_.move_to(*next);
    } else if (leaves_work && !waits.empty()) {
      problem = occur(rarest(waits));
    } else if (!work.empty()) {
      problem = is_patient_ ? work.front()() : chance_.one_of(work)();
    } else if (next) {
      world_.move_to(*next);
    } else {
      problem = "nothing can happen any more at " + where();
    }
    rests_ = world_.settle();
    return problem;
  }

  /// Of what is awaited, what has come least often: an event that interrupts nothing can come for
  /// ever.
  const facts::EventSubscription& rarest(const Waits& waits) {
    const auto rarest =
        std::ranges::min_element(waits, {}, [&](const auto& wait) { return seen_[wait.node_id]; });
    ++seen_[rarest->node_id];
    return *rarest;
  }

  void collect(const facts::InstanceState& rows, Acts& work, Waits& waits,
               std::optional<Instant>& next) {
    const auto at = [&](Instant time) { next = std::min(next.value_or(time), time); };
    for (const auto& slot : rows.external_tasks.slots()) {
      const auto& task = slot.row;
      if (task.state != facts::TaskState::ready) continue;
      if (task.available_at > world_.now()) {
        at(task.available_at);
        continue;
      }
      work.emplace_back([this, type = task.type] { return do_job(type); });
    }
    for (const auto& slot : rows.user_tasks.slots()) {
      if (slot.row.state != facts::UserTaskState::open) continue;
      work.emplace_back([this, id = slot.row.id] { return do_user_task(id); });
    }
    for (const auto& slot : rows.incidents.slots()) {
      if (slot.row.state != facts::IncidentState::open) continue;
      work.emplace_back([this, incident = slot.row] { return repair(incident); });
    }
    for (const auto& slot : rows.subscriptions.slots()) {
      if (slot.row.state != facts::SubscriptionState::open) continue;
      waits.push_back(slot.row);
    }
    for (const auto& slot : rows.timers.slots()) {
      if (slot.row.status == facts::TimerStatus::scheduled) at(slot.row.due_at);
    }
  }

  Object draw() { return invention_.draw(chance_, 50); }

  std::string do_job(const std::string& type) {
    const auto jobs = world_.fetch(type);
    if (jobs.empty()) return "no worker gets the task of type " + type;
    const auto& job = jobs.front();
    const bool goes_wrong = !is_patient_ && chance_.hits(20);
    if (goes_wrong && !errors_.empty() && chance_.hits(70)) {
      return world_.send<Done>([&](auto& engine, auto reply) {
        engine.throw_error({.task_id = job.task_id,
                            .worker_id = "worker",
                            .code = chance_.one_of(errors_),
                            .message = "by lot"},
                           std::move(reply));
      });
    }
    if (goes_wrong) {
      return world_.send<Done>([&](auto& engine, auto reply) {
        engine.fail_task({.task_id = job.task_id,
                          .worker_id = "worker",
                          .error_name = "Trouble",
                          .error_message = "by lot"},
                         std::move(reply));
      });
    }
    return world_.send<Done>([&](auto& engine, auto reply) {
      engine.complete_task(
          {.task_id = job.task_id, .worker_id = "worker", .variables = Value(draw())},
          std::move(reply));
    });
  }

  std::string do_user_task(Key task_id) {
    if (!is_patient_ && !escalations_.empty() && chance_.hits(30)) {
      return world_.send<Done>([&](auto& engine, auto reply) {
        engine.throw_escalation({.task_id = task_id, .code = chance_.one_of(escalations_)},
                                std::move(reply));
      });
    }
    return world_.send<Done>([&](auto& engine, auto reply) {
      engine.complete_user_task({.task_id = task_id, .variables = Value(draw())}, std::move(reply));
    });
  }

  /// Missing and unfit variables are put right by an operator; so is a worker that was down. A
  /// decision that is missing is deployed.
  std::string repair(const facts::Incident& incident) {
    if (incident.kind == facts::IncidentKind::decision_failed) {
      const auto* decision = incident.details.find("decision_id");
      if (decision && decision->is_string()) {
        world_.deploy_decision(*decision->as<std::string>());
      }
    }
    if (incident.kind == facts::IncidentKind::unhandled_error &&
        uncaught_.contains(incident.node_id)) {
      has_failed_ = true;
      return world_.send<Done>([&](auto& engine, auto reply) {
        engine.cancel({.instance_id = incident.instance_id}, std::move(reply));
      });
    }
    if (++repairs_ > kMaxRetries) return "an incident stays: " + incident.message;
    return world_.send<Done>([&](auto& engine, auto reply) {
      engine.retry({.instance_id = incident.instance_id,
                    .incident_id = incident.id,
                    .variables = Value(invention_.draw(chance_, 100))},
                   std::move(reply));
    });
  }

  std::string occur(const facts::EventSubscription& subscription) {
    if (subscription.kind == facts::SubscriptionKind::message) {
      return message(subscription.name, subscription.correlation_key, draw());
    }
    if (subscription.kind == facts::SubscriptionKind::signal) {
      return signal(subscription.name, draw());
    }
    return set_variables(subscription.instance_id);
  }

  std::string set_variables(Key instance_id) {
    return world_.send<Done>([&](auto& engine, auto reply) {
      engine.set_variables({.instance_id = instance_id, .variables = invention_.draw(chance_, 100)},
                           std::move(reply));
    });
  }

  std::string message(const std::string& name, std::optional<std::string> key, Object variables) {
    return world_.send<engine::Correlated>([&](auto& engine, auto reply) {
      engine.send_message({.name = name, .correlation_key = key, .variables = variables},
                          std::move(reply));
    });
  }

  std::string signal(const std::string& name, Object variables) {
    return world_.send<Done>([&](auto& engine, auto reply) {
      engine.send_signal({.name = name, .variables = variables}, std::move(reply));
    });
  }

  [[nodiscard]] std::string where() {
    std::string places;
    for (const auto id : followed_) {
      const auto rows = world_.record(id).rows;
      for (const auto& slot : rows.tokens.slots()) {
        if (!is_terminal(slot.row.state)) places += " " + slot.row.node_id;
      }
      for (const auto& slot : rows.incidents.slots()) {
        if (slot.row.state == facts::IncidentState::open) places += " (" + slot.row.message + ")";
      }
    }
    return std::to_string(kMaxSteps) + " steps:" + places;
  }

  [[nodiscard]] std::string problem_at_end(const store::InstanceRecord& record) {
    const auto& instance = record.rows.instance;
    const bool is_called = instance.parent_instance_id.has_value();
    if (instance.status != facts::InstanceStatus::completed && !is_called) {
      return "it has ended as " + std::string(name_of(instance.status)) + ": " +
             instance.end_reason.value_or("no reason");
    }
    for (const auto& difference : app::compare_with_fold(record))
      return "its history does not fold to its rows: " + app::to_text(difference);
    return {};
  }

  EngineWorld& world_;
  const definition::Definition& definition_;
  const Invention& invention_;
  const std::set<std::string>& uncaught_;
  random::Chance chance_;
  bool is_patient_;
  std::set<std::string> errors_;
  std::set<std::string> escalations_;
  std::vector<Key> followed_;       ///< the first, and those that it called
  std::map<std::string, int> seen_; ///< how often an event has come, by its node
  int idle_turns_ = 0;
  int repairs_ = 0;
  bool rests_ = true;
  bool has_failed_ = false; ///< by an error that the model does not catch
};

} // namespace

PlayResult play(EngineWorld& world, const definition::Definition& definition,
                definition::NodeIndex start, const Invention& invention,
                const std::set<std::string>& uncaught, std::uint64_t seed) {
  return Play(world, definition, invention, uncaught, seed).run(start);
}

} // namespace perdure::conformance
