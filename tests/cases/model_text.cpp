#include "cases/model_text.h"

#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/enum_text.h"
#include "definition/builder.h"
#include "definition/listener_rules.h"
#include "expr/expression.h"

namespace perdure::cases {

namespace {

using definition::Builder;
using definition::EventKind;
using definition::Flow;
using definition::Node;
using definition::NodeKind;

[[noreturn]] void wrong(const std::string& line, const std::string& why) {
  throw std::runtime_error("model line `" + line + "`: " + why);
}

expr::Expression compile(const std::string& line, const std::string& source) {
  auto expression = expr::compile_condition(source);
  if (!expression) wrong(line, expression.error().message);
  return *std::move(expression);
}

definition::Template text_of(const std::string& line, const std::string& text) {
  if (!text.starts_with('=') && !text.starts_with("${")) return {.text = text, .expression = {}};
  return {.text = text, .expression = compile(line, text)};
}

Duration duration_of(const std::string& line, std::string_view text) {
  const auto end = add_iso_duration(Instant{}, text);
  if (!end) wrong(line, end.error().message);
  return end->time_since_epoch();
}

std::vector<std::string> path_of(const std::string& text) {
  std::vector<std::string> path;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '.');)
    path.push_back(part);
  return path;
}

/// `in:x==a+1` and `out:y.z==b` are mappings, `own=x` is a variable of the node's own. False when
/// the key is another one.
bool set_data(const std::string& line, Node& node, const std::string& key,
              const std::string& value) {
  const bool is_input = key.starts_with("in:");
  if (!is_input && !key.starts_with("out:") && key != "own") return false;
  if (!node.data) node.data.emplace();
  if (key == "own") {
    node.data->locals.push_back(value);
    return true;
  }
  definition::Mapping mapping{.source = {.text = text_of(line, value)},
                              .target = path_of(key.substr(key.find(':') + 1))};
  (is_input ? node.data->inputs : node.data->outputs).push_back(std::move(mapping));
  return true;
}

/// How the node is repeated: `each` and `times` are multi-instances, `while` and `rounds` standard
/// loops. False when the key is another one.
bool set_loop(const std::string& line, Node& node, const std::string& key,
              const std::string& value) {
  const auto loop = [&]() -> definition::LoopSpec& {
    if (!node.loop) node.loop.emplace();
    return *node.loop;
  };
  if (key == "each") {
    loop().collection = compile(line, value);
  } else if (key == "times") {
    loop().cardinality = text_of(line, value);
  } else if (key == "item") {
    loop().element_variable = value;
  } else if (key == "outputs") {
    loop().output_collection = value;
  } else if (key == "output") {
    loop().output_element = compile(line, value);
    if (loop().output_element->variables().size() == 1) {
      loop().output_variable = loop().output_element->variables().front();
    }
  } else if (key == "until") {
    loop().completion = compile(line, value);
  } else if (key == "throws" || key == "throws-once") {
    loop().thrown.push_back({.once = key == "throws-once",
                             .event = {.kind = EventKind::signal, .name = text_of(line, value)}});
  } else if (key == "escalates-if") {
    loop().thrown.push_back(
        {.condition = compile(line, value),
         .event = {.kind = EventKind::escalation, .name = text_of(line, "Half")}});
  } else if (key == "while") {
    loop().kind = definition::LoopKind::standard;
    loop().condition = compile(line, value);
  } else if (key == "rounds") {
    loop().kind = definition::LoopKind::standard;
    loop().maximum = std::stoll(value);
  } else {
    return false;
  }
  return true;
}

/// `calls=process` says what a call activity calls; `give:x==a+1` and `take:y==b` are all that goes
/// in and out. False when the key is another one.
bool set_call(const std::string& line, Node& node, const std::string& key,
              const std::string& value) {
  if (!node.call) return false;
  if (key == "calls") {
    node.call->process_id = text_of(line, value);
  } else if (key.starts_with("give:")) {
    node.call->all_in = false;
    node.call->inputs.push_back({text_of(line, value), key.substr(5)});
  } else if (key.starts_with("take:")) {
    node.call->all_out = false;
    node.call->outputs.push_back({text_of(line, value), key.substr(5)});
  } else {
    return false;
  }
  return true;
}

/// `at-start=audit` and `at-end==type` are listeners at that phase. False when the key is none of
/// them.
bool set_listener(const std::string& line, std::vector<definition::ListenerSpec>& listeners,
                  const std::string& key, const std::string& value) {
  constexpr std::string_view kPrefix = "at-";
  if (!key.starts_with(kPrefix)) return false;
  const auto phase = enum_from<definition::ListenerPhase>(key.substr(kPrefix.size()));
  if (!phase) wrong(line, "unknown phase of a listener");
  definition::ListenerSpec listener{.phase = *phase, .worker = {}};
  listener.worker.type = text_of(line, value);
  definition::add_listener(listeners, std::move(listener));
  return true;
}

void set_attribute(const std::string& line, Node& node, const std::string& key,
                   const std::string& value) {
  if (key == "type") {
    if (!node.worker) node.worker.emplace();
    node.worker->type = text_of(line, value);
  } else if (key == "retries") {
    node.worker->retries = text_of(line, value);
  } else if (key == "backoff") {
    std::istringstream parts(value);
    for (std::string part; std::getline(parts, part, ',');) {
      node.worker->retry_backoff.push_back(duration_of(line, part));
    }
  } else if (key == "priority") {
    if (node.worker) node.worker->priority = text_of(line, value);
    if (node.user_task) node.user_task->priority = text_of(line, value);
  } else if (key == "timer" || key == "date" || key == "cycle") {
    auto& event = node.events.emplace_back();
    event.kind = EventKind::timer;
    event.timer.emplace();
    event.timer->kind = key == "timer"  ? definition::TimerKind::duration
                        : key == "date" ? definition::TimerKind::date
                                        : definition::TimerKind::cycle;
    event.timer->when = text_of(line, value);
  } else if (const auto kind = enum_from<EventKind>(key)) {
    auto& event = node.events.emplace_back();
    event.kind = *kind;
    if (*kind == EventKind::compensation) {
      event.activity_id = value;
    } else if (*kind == EventKind::conditional) {
      event.condition = compile(line, value);
    } else {
      event.name = text_of(line, value);
    }
  } else if (node.ad_hoc && key == "begin") {
    node.ad_hoc->first = compile(line, value);
  } else if (node.ad_hoc && key == "until") {
    node.ad_hoc->completion = compile(line, value);
  } else if (key == "calls") {
    node.call.emplace();
    node.call->process_id = text_of(line, value);
  } else if (key == "starts") {
    node.activation = compile(line, value);
  } else if (set_call(line, node, key, value) || set_data(line, node, key, value) ||
             set_loop(line, node, key, value) || set_listener(line, node.listeners, key, value)) {
  } else if (key == "key") {
    node.events.back().correlation_key = text_of(line, value);
  } else if (key == "code-to") {
    node.events.back().code_variable = value;
  } else if (key == "assignee") {
    node.user_task->assignee = text_of(line, value);
  } else if (key == "groups") {
    node.user_task->candidate_groups = text_of(line, value);
  } else if (key == "users") {
    node.user_task->candidate_users = text_of(line, value);
  } else if (key == "due") {
    node.user_task->due_date = text_of(line, value);
  } else {
    wrong(line, "unknown key " + key);
  }
}

std::string rest_of(std::istringstream& words) {
  std::string rest;
  std::getline(words >> std::ws, rest);
  return rest;
}

/// Words that say one thing about a node.
bool set_flag(Node& node, std::string_view word) {
  if (word == "one-by-one") {
    if (!node.loop) node.loop.emplace();
    node.loop->kind = definition::LoopKind::sequential;
  } else if (word == "keeps-result") {
    if (!node.data) node.data.emplace();
    node.data->keeps_result = true;
  } else if (word == "test-before") {
    node.loop->test_before = true;
  } else if (word == "beside") {
    node.interrupting = false;
  } else if (word == "all") {
    node.all_events = true;
  } else if (word == "begins") {
    node.instantiates = true;
  } else if (word == "in-turn") {
    node.ad_hoc->sequential = true;
  } else if (word == "keep-rest") {
    node.ad_hoc->cancels_rest = false;
  } else {
    return false;
  }
  return true;
}

class ModelReader {
public:
  ModelReader() : builder_("process", "", "", {}) {}

  void read(const std::string& line) {
    std::istringstream words(line);
    std::string what;
    if (!(words >> what) || what.starts_with('#')) return;
    if (what == "node") {
      read_node(line, words);
    } else if (what == "flow") {
      read_flow(line, words);
    } else if (what == "process") {
      read_process(line, words);
    } else {
      wrong(line, "neither node nor flow nor process");
    }
  }

  definition::DefinitionPtr build() {
    auto definition = std::move(builder_).build();
    if (definition) return *definition;
    std::string problems;
    for (const auto& problem : definition.error())
      problems += to_text(problem) + "\n";
    throw std::runtime_error(problems);
  }

private:
  void read_process(const std::string& line, std::istringstream& words) {
    std::vector<definition::ListenerSpec> listeners;
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      if (equals == std::string::npos ||
          !set_listener(line, listeners, word.substr(0, equals), word.substr(equals + 1))) {
        wrong(line, "unknown word " + word);
      }
    }
    builder_.set_process_listeners(std::move(listeners));
  }

  void read_node(const std::string& line, std::istringstream& words) {
    Node node;
    std::string kind;
    if (!(words >> node.id >> kind)) wrong(line, "id and kind are missing");
    const auto known = enum_from<NodeKind>(kind);
    if (!known) wrong(line, "unknown kind");
    node.kind = *known;
    if (node.kind == NodeKind::service_task) {
      node.worker.emplace();
      node.worker->type.text = node.id;
    }
    if (node.kind == NodeKind::user_task) node.user_task.emplace();
    if (node.kind == NodeKind::business_rule_task) {
      node.worker.emplace();
      node.worker->type.text = node.id;
    }
    if (node.kind == NodeKind::ad_hoc_sub_process) node.ad_hoc.emplace();
    if (node.kind == NodeKind::call_activity) node.call.emplace();
    std::string host;
    for (std::string word; words >> word;) {
      if (word == "in") {
        words >> word;
        if (!scopes_.contains(word)) wrong(line, "unknown sub-process");
        node.scope = scopes_[word];
      } else if (word == "on") {
        words >> host;
        if (!nodes_.contains(host)) wrong(line, "the activity must come before its boundary event");
        node.scope = builder_.node(nodes_[host]).scope;
      } else if (set_flag(node, word)) {
        continue;
      } else if (word == "undoes") {
        node.for_compensation = true;
      } else if (word == "by") {
        words >> word;
        builder_.associate(node.id, word);
      } else if (word == "at-once") {
        node.events.back().waits = false;
      } else if (enum_from<EventKind>(word)) {
        node.events.emplace_back().kind = *enum_from<EventKind>(word);
      } else if (word == "set") {
        std::string equals;
        node.script.emplace();
        words >> node.script->result_variable >> equals;
        node.script->expression = compile(line, rest_of(words));
      } else {
        const auto equals = word.find('=');
        if (equals == std::string::npos) wrong(line, "no `=` in " + word);
        set_attribute(line, node, word.substr(0, equals), word.substr(equals + 1));
      }
    }
    const auto id = node.id;
    const auto scope = node.scope;
    const bool opens = opens_scope(node.kind);
    const auto index = builder_.add_node(std::move(node));
    nodes_[id] = index;
    if (!host.empty()) builder_.attach(index, host);
    if (opens) scopes_[id] = builder_.add_scope(index, scope);
  }

  void read_flow(const std::string& line, std::istringstream& words) {
    std::string source;
    std::string target;
    if (!(words >> source >> target)) wrong(line, "source and target are missing");
    Flow flow;
    flow.id = source + "_" + target;
    bool is_default = false;
    for (std::string word; words >> word;) {
      if (word == "as") {
        words >> flow.id;
      } else if (word == "default") {
        is_default = true;
      } else if (word == "if") {
        flow.condition = compile(line, rest_of(words));
      } else {
        wrong(line, "unknown word " + word);
      }
    }
    if (is_default) {
      if (!nodes_.contains(source)) wrong(line, "the node must come before its default flow");
      builder_.set_default_flow(nodes_[source], flow.id);
    }
    builder_.add_flow(std::move(flow), source, target);
  }

  Builder builder_;
  std::map<std::string, definition::NodeIndex> nodes_;
  std::map<std::string, definition::ScopeIndex> scopes_;
};

} // namespace

definition::DefinitionPtr parse_model(std::string_view text) {
  ModelReader reader;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);)
    reader.read(line);
  return reader.build();
}

} // namespace perdure::cases
