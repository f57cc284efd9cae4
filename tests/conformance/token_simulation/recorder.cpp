#include "conformance/token_simulation/recorder.h"

#include <algorithm>

namespace perdure::conformance {

void Recorder::take(int instance, const facts::Fact& fact) {
  ++position_;
  std::visit([&](const auto& data) { take(instance, data); }, fact.data);
}

int Recorder::run_of(const std::map<Owner, int>& runs, Owner owner) const {
  const auto found = runs.find(owner);
  return found == runs.end() ? -1 : found->second;
}

int Recorder::begin(const std::string& element, int in) {
  Run fresh;
  fresh.element = element;
  fresh.in = in;
  fresh.started = stimulus_;
  fresh.start_at = position_;
  fresh.hidden = drawing_.hidden.contains(element);
  runs_.push_back(std::move(fresh));
  return static_cast<int>(runs_.size()) - 1;
}

void Recorder::end(int index, Outcome outcome) {
  if (index < 0 || run(index).outcome != Outcome::active) return;
  run(index).outcome = outcome;
  run(index).ended = stimulus_;
  run(index).end_at = position_;
}

void Recorder::arrive(Owner token, const std::string& node, int in,
                      const std::optional<std::string>& flow, int from) {
  const auto index = begin(node, in);
  token_run_[token] = index;
  if (flow && from >= 0 && drawing_.event_based_gateways.contains(run(from).element)) {
    run(index).gateway = from;
  } else if (flow && !drawing_.hidden.contains(*flow)) {
    run(index).via.push_back(static_cast<int>(flows_.size()));
    flows_.push_back(
        {.flow = *flow, .from = from, .to = index, .during = stimulus_, .taken_at = position_});
  }
  if (watcher_) watcher_(node);
}

// ---- facts ----

void Recorder::take(int instance, const facts::InstanceStarted& fact) {
  const auto index = begin(fact.process_id, -1);
  run(index).root = true;
  scope_run_[{instance, fact.root_scope_id}] = index;
  own_run_[{instance, kNoKey}] = index;
}

void Recorder::take(int instance, const facts::InstanceCompleted&) {
  end(run_of(own_run_, {instance, kNoKey}), Outcome::completed);
}

void Recorder::take(int instance, const facts::InstanceCancelled&) {
  end(run_of(own_run_, {instance, kNoKey}), Outcome::removed);
}

void Recorder::take(int instance, const facts::ScopeOpened& fact) {
  const Owner scope{instance, fact.scope_id};
  const auto resting = run_of(token_run_, {instance, fact.token_id});
  if (resting >= 0 && run(resting).element == fact.node_id) {
    scope_run_[scope] = resting;
    return;
  }
  const auto index = begin(fact.node_id, run_of(scope_run_, {instance, fact.parent_id}));
  scope_run_[scope] = index;
  own_run_[scope] = index;
}

void Recorder::take(int instance, const facts::ScopeClosed& fact) {
  const auto outcome =
      fact.state == facts::ScopeState::completed ? Outcome::completed : Outcome::removed;
  end(run_of(own_run_, {instance, fact.scope_id}), outcome);
}

void Recorder::take(int instance, const facts::TokenPlaced& fact) {
  const auto from = fact.parent_id ? run_of(token_run_, {instance, *fact.parent_id}) : -1;
  arrive({instance, fact.token_id}, fact.node_id, run_of(scope_run_, {instance, fact.scope_id}),
         fact.flow_id, from);
}

void Recorder::take(int instance, const facts::TokenMoved& fact) {
  const Owner token{instance, fact.token_id};
  const auto from = run_of(token_run_, token);
  end(from, Outcome::completed);
  arrive(token, fact.node_id, from < 0 ? -1 : run(from).in, fact.flow_id, from);
}

void Recorder::take(int instance, const facts::TokenCompleted& fact) {
  end(run_of(token_run_, {instance, fact.token_id}), Outcome::completed);
}

void Recorder::take(int instance, const facts::TokenTerminated& fact) {
  end(run_of(token_run_, {instance, fact.token_id}), Outcome::removed);
}

void Recorder::take(int instance, const facts::JoinArrived& fact) {
  join_tokens_[{instance, fact.join_id}].push_back(fact.token_id);
}

/// The arrivals become one run: the one that began first.
void Recorder::take(int instance, const facts::JoinFired& fact) {
  const auto& tokens = join_tokens_[{instance, fact.join_id}];
  int first = -1;
  for (const auto token : tokens) {
    auto& index = token_run_[{instance, token}];
    if (first < 0) {
      first = index;
      continue;
    }
    for (const auto flow : run(index).via) {
      run(first).via.push_back(flow);
      flows_[static_cast<std::size_t>(flow)].to = first;
    }
    run(index).hidden = true;
    index = first;
  }
}

/// What undoes a sub-process is taken to be inside it: the run that had completed goes on.
void Recorder::take(int instance, const facts::CompensationRecorded& fact) {
  const Owner record{instance, fact.record_id};
  if (fact.inner_scope_id) {
    reopened_[record] = run_of(scope_run_, {instance, *fact.inner_scope_id});
    return;
  }
  const auto kind = drawing_.kinds.find(fact.node_id);
  const bool inside = kind != drawing_.kinds.end() &&
                      (kind->second == "subProcess" || kind->second == "transaction");
  if (!inside) return;
  const auto scope = run_of(scope_run_, {instance, fact.scope_id});
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].element == fact.node_id && runs_[i].in == scope) {
      undone_[record] = static_cast<int>(i);
    }
  }
}

void Recorder::take(int instance, const facts::CompensationStarted& fact) {
  const Owner record{instance, fact.record_id};
  auto& index = token_run_[{instance, fact.token_id}];
  if (const auto run_again = run_of(reopened_, record); run_again >= 0) {
    run(index).hidden = true;
    index = run_again;
  } else if (const auto around = run_of(undone_, record); around >= 0) {
    run(index).in = around;
  }
}

// ---- result ----

Observed Recorder::observed() const {
  Observed result;
  std::vector<int> fresh(runs_.size(), -1);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].hidden) continue;
    fresh[i] = static_cast<int>(result.runs.size());
    result.runs.push_back(runs_[i]);
  }
  const auto renamed = [&](int index) {
    return index < 0 ? -1 : fresh[static_cast<std::size_t>(index)];
  };
  for (auto& run : result.runs) {
    run.in = renamed(run.in);
    run.gateway = renamed(run.gateway);
  }
  result.flows = flows_;
  for (auto& flow : result.flows) {
    flow.from = renamed(flow.from);
    flow.to = renamed(flow.to);
  }
  return result;
}

} // namespace perdure::conformance
