// run: deploys a model, starts it and shows its steps as they happen, until it ends or until
// nothing but a worker or a person can bring it on.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cli/commands.h"
#include "cli/deployment.h"
#include "cli/step_lines.h"
#include "cli/text_table.h"

namespace perdure::cli {

namespace {

constexpr Duration kFirstPause{10};
constexpr Duration kLongestPause{250};
/// How long a ready task may lie at a server before `run` says that nobody takes it.
constexpr Duration kPatience{3'000};

/// What one look at the instance saw.
struct View {
  Value instance;
  Array steps;

  [[nodiscard]] std::string status() const { return text_of(instance, "status"); }
  [[nodiscard]] bool has_ended() const {
    const std::string now = status();
    return now == "completed" || now == "failed" || now == "cancelled";
  }
  [[nodiscard]] bool has_incident() const {
    return std::ranges::any_of(list_of(instance, "incidents"), [](const Value& incident) {
      return text_of(incident, "state") == "open";
    });
  }
};

enum class Outlook {
  moves,   ///< it goes on by itself: a timer, a worker at work, a token on its way
  offered, ///< all that is open is work that no worker has taken yet
  blocked, ///< only a person can bring it on
};

Outlook outlook_of(const View& view) {
  bool offered = false;
  bool blocked = view.has_incident();
  for (const auto& step : view.steps) {
    const std::string status = text_of(step, "status");
    const std::string type = text_of(step, "type");
    if (status == "running" && int_of(step, "attempt_count") > 0) return Outlook::moves;
    if (status == "waiting" && type == "sleep") return Outlook::moves;
    if (status == "pending") offered = true;
    if (status == "waiting" && type == "user_task") blocked = true;
  }
  if (offered) return Outlook::offered;
  return blocked ? Outlook::blocked : Outlook::moves;
}

class Run {
public:
  Run(const RunCommand& command, ApiClient& api, Output& output, const Pause& pause)
      : command_(command), api_(api), output_(output), pause_(pause), block_(output) {}

  ExitCode operator()() {
    const auto id = begin();
    if (!id) return report(output_, id.error());
    path_ = "/process-instances/" + *id;
    if (!output_.json()) output_.print("Instance " + *id + "\n");
    return follow();
  }

private:
  /// Deploys and starts; the instance's id.
  Outcome<std::string> begin() {
    std::vector<std::string> files{command_.file};
    files.insert(files.end(), command_.with.begin(), command_.with.end());
    const auto deployed = deploy_files(api_, files);
    if (!deployed) return std::unexpected(deployed.error());
    tell_warnings(*deployed, output_);
    const auto definition = choose(list_of(*deployed, "definitions"));
    if (!definition) return std::unexpected(definition.error());
    const auto started = start_instance(api_, {.process = *definition,
                                               .variables = command_.variables,
                                               .business_key = command_.business_key,
                                               .idempotency_key = {},
                                               .start_node = {}});
    if (!started) return std::unexpected(started.error());
    return text_of(*started, "id");
  }

  [[nodiscard]] Outcome<std::string> choose(const Array& definitions) const {
    std::string names;
    for (const auto& definition : definitions) {
      const std::string name = text_of(definition, "process_id");
      if (command_.process ? name == *command_.process : definitions.size() == 1) {
        return text_of(definition, "id");
      }
      names += (names.empty() ? "" : ", ") + name;
    }
    return std::unexpected(Failure{
        ExitCode::usage,
        command_.file + " holds the processes " + names + "; name one of them with --process",
        {}});
  }

  ExitCode follow() {
    Duration pause = kFirstPause;
    Duration idle{0};
    for (;;) {
      const auto view = look();
      if (!view) return report(output_, view.error());
      if (show_changes(*view)) {
        pause = kFirstPause;
        idle = Duration(0);
      }
      if (view->has_ended()) return finish(*view, {});
      const Outlook outlook = outlook_of(*view);
      const bool patient = outlook == Outlook::offered && api_.backend().has_workers();
      if (outlook != Outlook::moves && (!patient || idle >= kPatience)) {
        const auto tasks = open_tasks();
        if (!tasks) return report(output_, tasks.error());
        if (!command_.watch) return finish(*view, *tasks);
        if (!output_.json()) print_above(new_hints(*view, *tasks), *view);
      }
      if (pause_(pause)) return interrupted();
      idle += pause;
      pause = std::min(pause * 2, kLongestPause);
    }
  }

  Outcome<View> look() {
    auto instance = api_.get(path_);
    if (!instance) return std::unexpected(instance.error());
    auto steps = api_.get_all(path_ + "/steps");
    if (!steps) return std::unexpected(steps.error());
    return View{std::move(*instance), std::move(*steps)};
  }

  Outcome<Array> open_tasks() { return api_.get_all("/tasks", {"instance_id", id_text()}); }

  [[nodiscard]] std::string id_text() const { return path_.substr(path_.find_last_of('/') + 1); }

  /// On a terminal the whole tree again, elsewhere a line for each step that changed. True when
  /// anything did.
  bool show_changes(const View& view) {
    bool changed = false;
    for (const auto& step : view.steps) {
      const std::string line = status_mark(step) + " " + step_line(step);
      auto& known = lines_[text_of(step, "id")];
      if (known == line) continue;
      known = line;
      changed = true;
      if (!output_.json() && !output_.is_terminal()) output_.print("  " + line + "\n");
    }
    if (changed && !output_.json()) block_.draw(step_tree(view.steps));
    return changed;
  }

  ExitCode finish(const View& view, const Array& tasks) {
    const ExitCode code = !view.has_ended()              ? ExitCode::waiting
                          : view.status() == "completed" ? ExitCode::ok
                                                         : ExitCode::failed;
    if (output_.json()) {
      output_.print_json(
          Object{{"instance", view.instance}, {"steps", view.steps}, {"waiting_for", tasks}});
      return code;
    }
    block_.keep();
    if (view.has_ended()) {
      output_.print("Instance " + id_text() + " is " + view.status() + ".\n");
    } else {
      output_.print(new_hints(view, tasks));
    }
    return code;
  }

  void print_above(const std::string& text, const View& view) {
    if (text.empty()) return;
    block_.clear();
    output_.print(text);
    block_.draw(step_tree(view.steps));
  }

  /// What each open task or incident waits for and how to bring it on by hand; each is told once.
  std::string new_hints(const View& view, const Array& tasks) {
    std::string text;
    for (const auto& task : tasks) {
      if (!hinted_.insert(text_of(task, "id")).second) continue;
      if (text_of(task, "type") == "external") {
        text += "Task type \"" + printable(text_of(task, "task_type")) +
                "\" has no worker. To complete it by hand:\n";
      } else {
        text +=
            "\"" + printable(text_of(task, "name")) + "\" waits for a person. To complete it:\n";
      }
      text += hint("complete " + text_of(task, "id") + " --var NAME=VALUE");
    }
    for (const auto& incident : list_of(view.instance, "incidents")) {
      if (text_of(incident, "state") != "open") continue;
      if (!hinted_.insert(text_of(incident, "id")).second) continue;
      text += "Incident at " + printable(text_of(incident, "node_id")) + ": " +
              printable(text_of(incident, "message")) +
              "\nTo try again, with corrected variables where they are the reason:\n" +
              hint("retry --incident " + text_of(incident, "id") + " --var NAME=VALUE");
    }
    return text;
  }

  [[nodiscard]] std::string hint(const std::string& command) const {
    const std::string options = api_.backend().options();
    return "  perdure " + command + (options.empty() ? "" : " " + options) + "\n";
  }

  ExitCode interrupted() {
    block_.keep();
    output_.complain("stopped; instance " + id_text() + " stays as it is");
    return ExitCode::interrupted;
  }

  const RunCommand& command_;
  ApiClient& api_;
  Output& output_;
  const Pause& pause_;
  LiveBlock block_;
  std::string path_;
  std::map<std::string, std::string> lines_; ///< by step id, as last shown
  std::set<std::string> hinted_;             ///< tasks and incidents that were told of
};

} // namespace

ExitCode run(const RunCommand& command, ApiClient& api, Output& output, const Pause& pause) {
  return Run(command, api, output, pause)();
}

} // namespace perdure::cli
