#include "random/driver.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <regex>
#include <utility>

#include "base/json.h"
#include "cases/model_text.h"

namespace perdure::random {

namespace {

using cases::Machine;

constexpr Duration kLock = std::chrono::seconds(10);

/// A process in three versions: as it is, with other ids throughout, and as it is once more.
class Versions {
public:
  explicit Versions(const std::string& text) : definitions_{cases::parse_model(text)} {
    std::string renamed;
    const std::regex word("[A-Za-z_][A-Za-z_0-9]*");
    auto at = text.begin();
    for (std::sregex_iterator match(text.begin(), text.end(), word), end; match != end; ++match) {
      const auto id = match->str();
      renamed.append(at, text.begin() + match->position());
      renamed += is_id(id) ? other(id) : id;
      at = text.begin() + match->position() + match->length();
    }
    renamed.append(at, text.end());
    definitions_.push_back(cases::parse_model(renamed));
    definitions_.push_back(cases::parse_model(text));
  }

  [[nodiscard]] const definition::DefinitionPtr& operator[](std::size_t version) const {
    return definitions_[version];
  }

  /// How what one version has is called in another.
  [[nodiscard]] static std::map<std::string, std::string, std::less<>> mapping(
      const definition::Definition& from, bool renames) {
    std::map<std::string, std::string, std::less<>> ids;
    if (!renames) return ids;
    for (const auto& node : from.nodes())
      ids.emplace(node.id, other(node.id));
    for (const auto& flow : from.flows())
      ids.emplace(flow.id, other(flow.id));
    return ids;
  }

  /// The id that an element of the first version has.
  [[nodiscard]] static std::string first_id(const std::string& id) {
    return id.ends_with(kOther) ? other(id) : id;
  }

private:
  static constexpr std::string_view kOther = "_other";

  static std::string other(const std::string& id) {
    if (id.ends_with(kOther)) return id.substr(0, id.size() - kOther.size());
    return id + std::string(kOther);
  }
  [[nodiscard]] bool is_id(const std::string& word) const {
    const auto& first = *definitions_.front();
    return first.find_node(word) != definition::kNone || first.find_flow(word) != definition::kNone;
  }

  std::vector<definition::DefinitionPtr> definitions_;
};

class Driver {
public:
  Driver(const RandomModel& model, Chance& chance, const Effort& effort)
      : chance_(chance),
        effort_(effort),
        versions_(model.text),
        machine_(versions_[0], {.max_moves = effort.max_moves}) {
    if (!effort.saves) machine_.stop_saving();
    machine_.on_saving(effort.saving);
    facts::StartRequested start;
    start.definition_id = kFirstVersion;
    start.variables = *json::parse(model.variables);
    expect_accepted(start);
  }

  Run run() {
    while (!is_over() && events_ < effort_.max_events && machine_.problems().empty())
      act();
    machine_.check_fold();
    machine_.save();
    Run run;
    run.status = machine_.state().instance.status;
    for (const auto& slot : machine_.full().steps.slots()) {
      if (slot.row.status == facts::StepStatus::completed) {
        run.completed_nodes.push_back(Versions::first_id(slot.row.node_id));
      }
    }
    std::ranges::sort(run.completed_nodes);
    run.problems = machine_.problems();
    run.problems.insert(run.problems.end(), problems_.begin(), problems_.end());
    run.events = events_;
    run.migrations = migrations_;
    return run;
  }

private:
  [[nodiscard]] bool is_over() const { return is_terminal(machine_.state().instance.status); }

  decide::Decision send(facts::EventData data) {
    ++events_;
    return machine_.send(std::move(data));
  }
  void expect_accepted(facts::EventData data) {
    const auto decision = send(std::move(data));
    if (decision.refusal) problems_.push_back("refused: " + decision.refusal->message);
  }
  void expect_refused(facts::EventData data, facts::RefusalCode code) {
    const auto decision = send(std::move(data));
    if (!decision.refusal || decision.refusal->code != code) {
      problems_.push_back("not refused as " + std::string(name_of(code)));
    }
  }

  /// One step of somebody, drawn from everything that could happen now.
  void act() {
    if (effort_.migrates > 0 && chance_.hits(effort_.migrates)) migrate();
    if (chance_.hits(15)) repeat_something();
    if (is_over()) return;
    if (effort_.may_cancel && chance_.hits(2)) return disturb();
    std::vector<std::function<void()>> possible;
    if (machine_.has_ready_tokens()) {
      possible.emplace_back([this] { expect_accepted(facts::Proceed{}); });
    }
    for (const auto& slot : machine_.state().external_tasks.slots())
      add_task(possible, slot.row);
    for (const auto& slot : machine_.state().user_tasks.slots()) {
      possible.emplace_back([this, id = slot.row.id] { finish(id); });
    }
    for (const auto& slot : machine_.state().timers.slots()) {
      possible.emplace_back([this, timer = slot.row] { fire(timer); });
    }
    for (const auto& slot : machine_.state().subscriptions.slots()) {
      // A condition is told by the variables alone.
      if (slot.row.kind == facts::SubscriptionKind::conditional) continue;
      possible.emplace_back([this, id = slot.row.id] {
        expect_accepted(facts::EventOccurred{.subscription_id = id, .variables = {}});
      });
    }
    if (!machine_.state().incidents.empty()) {
      possible.emplace_back([this] { retry(); });
    }
    if (possible.empty()) return machine_.advance(kLock);
    chance_.one_of(possible)();
  }

  void add_task(std::vector<std::function<void()>>& possible, const facts::ExternalTask& task) {
    if (task.state == facts::TaskState::failed) return;
    possible.emplace_back([this, task] {
      if (task.state == facts::TaskState::ready) {
        work_on_ready(task);
      } else {
        work_on_locked(task);
      }
    });
  }

  void work_on_ready(const facts::ExternalTask& task) {
    const facts::TaskLocked lock{
        .task_id = task.id, .worker_id = "w1", .lock_expires_at = machine_.now() + kLock};
    if (chance_.hits(10)) {
      return expect_accepted(
          facts::TaskCompleted{.task_id = task.id, .worker_id = {}, .variables = {}});
    }
    if (task.available_at > machine_.now()) {
      expect_refused(lock, facts::RefusalCode::token_invalid_transition);
      machine_.advance(task.available_at - machine_.now());
    }
    expect_accepted(facts::TaskLocked{
        .task_id = task.id, .worker_id = "w1", .lock_expires_at = machine_.now() + kLock});
  }

  void work_on_locked(const facts::ExternalTask& task) {
    if (*task.lock_expires_at <= machine_.now() || chance_.hits(10)) {
      machine_.advance(std::max(*task.lock_expires_at - machine_.now(), Duration::zero()));
      if (chance_.hits(50)) {
        expect_refused(complete(task.id, "w1"), facts::RefusalCode::lease_conflict);
      }
      return expect_accepted(facts::TaskLockExpired{.task_id = task.id});
    }
    if (chance_.hits(10)) {
      expect_refused(facts::TaskLockExpired{.task_id = task.id}, facts::RefusalCode::timer_not_due);
    }
    if (chance_.hits(10)) {
      expect_refused(complete(task.id, "w2"), facts::RefusalCode::lease_conflict);
    }
    if (chance_.hits(10)) {
      expect_accepted(facts::TaskLockExtended{
          .task_id = task.id, .worker_id = "w1", .lock_expires_at = machine_.now() + kLock});
    }
    if (chance_.hits(10)) {
      expect_refused(facts::TaskReleased{.task_id = task.id, .worker_id = "w2"},
                     facts::RefusalCode::lease_conflict);
      return expect_accepted(facts::TaskReleased{.task_id = task.id, .worker_id = "w1"});
    }
    if (chance_.hits(25)) {
      return expect_accepted(facts::TaskFailed{.task_id = task.id,
                                               .worker_id = "w1",
                                               .error_name = "Trouble",
                                               .error_message = "by lot",
                                               .retries = {},
                                               .retry_delay = {}});
    }
    done_.push_back(task.id);
    expect_accepted(complete(task.id, "w1"));
  }

  static facts::TaskCompleted complete(Key task_id, const char* worker_id) {
    return {.task_id = task_id, .worker_id = worker_id, .variables = Object{{"out", task_id}}};
  }

  void finish(Key task_id) {
    if (chance_.hits(10)) {
      expect_refused(facts::UserTaskCompleted{.task_id = task_id, .variables = 5},
                     facts::RefusalCode::bad_variables);
    }
    expect_accepted(facts::UserTaskCompleted{.task_id = task_id, .variables = {}});
    expect_refused(facts::UserTaskCompleted{.task_id = task_id, .variables = {}},
                   facts::RefusalCode::token_finalized_twice);
  }

  void fire(const facts::Timer& timer) {
    if (timer.due_at > machine_.now()) {
      expect_refused(facts::TimerDue{.timer_id = timer.id}, facts::RefusalCode::timer_not_due);
      machine_.advance(timer.due_at - machine_.now() + Duration(chance_.below(3)));
    }
    expect_accepted(facts::TimerDue{.timer_id = timer.id});
    expect_refused(facts::TimerDue{.timer_id = timer.id},
                   facts::RefusalCode::token_finalized_twice);
  }

  void retry() {
    facts::RetryRequested request;
    request.by = "operator";
    request.retries = 1 + chance_.below(3);
    if (chance_.hits(50)) {
      request.incident_id = chance_.one_of(machine_.state().incidents.slots()).row.id;
    }
    expect_accepted(request);
  }

  void repeat_something() {
    if (!done_.empty()) {
      expect_refused(complete(chance_.one_of(done_), "w1"),
                     facts::RefusalCode::token_finalized_twice);
    }
    expect_refused(facts::TimerDue{.timer_id = 999'999'999},
                   facts::RefusalCode::token_finalized_twice);
  }

  void migrate() {
    const auto target = (version_ + 1 + static_cast<std::size_t>(chance_.below(2))) % 3;
    const bool renames = (version_ == 1) != (target == 1);
    ++events_;
    const auto decision = machine_.migrate(
        versions_[target], {.definition_id = kFirstVersion + static_cast<Key>(target),
                            .mapping = Versions::mapping(*versions_[version_], renames)});
    if (!decision.refusal) {
      version_ = target;
      ++migrations_;
      return;
    }
    // A gateway that has started, or activities that are known by their ids, keep their names.
    const auto& objections = decision.refusal->objections;
    const bool must_wait = renames && !objections.empty() &&
                           std::ranges::all_of(objections, [](const facts::Objection& objection) {
                             return objection.message.find("waits for its") != std::string::npos;
                           });
    if (!must_wait) problems_.push_back("not migrated: " + decision.refusal->message);
  }

  void disturb() {
    if (chance_.hits(30)) return expect_accepted(facts::CancelRequested{.reason = {}});
    // May be refused when it is set aside already.
    static_cast<void>(send(facts::SetAside{.message = "by lot"}));
  }

  static constexpr Key kFirstVersion = 1'000'000;

  Chance& chance_;
  const Effort& effort_;
  Versions versions_;
  std::size_t version_ = 0;
  int migrations_ = 0;
  Machine machine_;
  std::vector<Key> done_;
  std::vector<std::string> problems_;
  int events_ = 0;
};

} // namespace

Run drive(const RandomModel& model, Chance& chance, const Effort& effort) {
  try {
    return Driver(model, chance, effort).run();
  } catch (const std::exception& error) {
    Run run;
    run.problems.emplace_back(error.what());
    return run;
  }
}

} // namespace perdure::random
