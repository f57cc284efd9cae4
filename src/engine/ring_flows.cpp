// Flows in the ring: which process goes on with which run. A run that only waits needs none; one
// whose callback is under way belongs to the process that calls it, as long as that moves its lease
// on. What a lost process was doing is declared interrupted by whoever finds that first, who takes
// the run over; what the lost one may still report is refused, since the run is another's.
#include <algorithm>
#include <map>
#include <utility>

#include "engine/ring.h"

namespace perdure::engine {

namespace {

constexpr std::int64_t kPage = 512;
constexpr std::int64_t kHosts = 64;
/// A run that was changed just now is most likely being gone on with.
constexpr Duration kGrace{500};
/// Where others may need this process, it looks for runs this often at most; else it only makes
/// sure.
constexpr Duration kShortPause{100};
constexpr Duration kLongPause{5'000};

} // namespace

// ---- the start --------------------------------------------------------------------------------

// The versions that the program defines, what a dead process of this node was doing, and the runs
// that wait for somebody to go on with them.
Result<void> Engine::Ring::start_flows() {
  if (const auto defined = define_flows(); !defined) return defined;
  if (const auto put = put_limits(); !put) return put;
  if (flows_.codes().empty()) return {};
  const auto now = clock_.now();
  flow_worker_id_ = parts_.handler_worker_id;
  lives_ = 1;
  if (is_shared()) {
    const auto added = store_->add_flow_host(
        {flow_worker_id_, options_.node_name, now, now + options_.flow_lease});
    if (!added) return added;
    next_heartbeat_ = now + options_.flow_lease / 3;
  }
  flows_.start(flow_worker_id_);
  const auto lost = store_->flow_attempts_of(handler_prefix());
  if (!lost) return std::unexpected(lost.error());
  add_lost(*lost, later_);
  for (Key after = kNoKey; !is_shared();) {
    const auto ready = store_->ready_flows(after, kPage);
    if (!ready) return std::unexpected(ready.error());
    for (const auto& flow : *ready)
      flows_.wake(flow);
    if (ready->empty()) break;
    after = ready->back().instance_id;
  }
  return {};
}

Result<void> Engine::Ring::define_flows() {
  const auto& codes = flows_.codes();
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto& code = codes[i];
    auto known = store_->version_by_number({}, code.name, code.version);
    if (!known) return std::unexpected(known.error());
    if (!*known) {
      store::Deployment deployment;
      deployment.processes.push_back({.process_id = code.name,
                                      .version = code.version,
                                      .kind = facts::DefinitionKind::flow,
                                      .name = code.name,
                                      .version_tag = {},
                                      .resource_name = {},
                                      .source = {},
                                      .digest = {},
                                      .deployed_at = clock_.now(),
                                      .deployment_id = {}});
      auto stored = store_->deploy(std::move(deployment));
      if (!stored) return std::unexpected(stored.error());
      known = stored->processes.front().id;
    }
    flows_.bind(**known, i);
  }
  return {};
}

// What the highest version of a name says holds for all its runs.
Result<void> Engine::Ring::put_limits() {
  std::map<std::string, const FlowCode*> highest;
  for (const auto& code : flows_.codes()) {
    auto& known = highest[code.name];
    if (known == nullptr || known->version < code.version) known = &code;
  }
  for (const auto& [name, code] : highest) {
    auto known = limits_.of(name);
    if (!known) return std::unexpected(known.error());
    auto wanted = code->limit;
    if (wanted) wanted->process_id = name;
    if (*known != nullptr ? wanted == **known : !wanted) continue;
    auto done = wanted ? store_->put_flow_limit(*wanted) : store_->remove_flow_limit(name);
    if (!done) return done;
    limits_.forget();
  }
  return {};
}

// Nobody needs to wait for the end of the lease.
void Engine::Ring::leave_flows() {
  if (lives_ == 0 || !is_shared()) return;
  const auto now = clock_.now();
  const auto ended = store_->renew_flow_host(flow_worker_id_, now);
  if (ended && *ended) static_cast<void>(store_->remove_flow_host(flow_worker_id_, now));
}

// ---- the sweep --------------------------------------------------------------------------------

void Engine::Ring::sweep_flows(Instant now, std::vector<Work>& works) {
  if (const auto forgotten = store_->forget_flow_slots(now, 8 * kPage); !forgotten) {
    log_.write(LogLevel::error, "flow_slots_failed", {{"error", forgotten.error().message}});
  }
  if (lives_ == 0) return;
  if (is_shared()) {
    keep_host(now);
    take_over(now, works);
  }
  wake_ready(now);
}

void Engine::Ring::keep_host(Instant now) {
  if (now >= next_heartbeat_) {
    const auto kept = store_->renew_flow_host(flow_worker_id_, now + options_.flow_lease);
    auto done = kept ? Result<void>() : std::unexpected(kept.error());
    if (kept && !*kept) done = begin_anew(now);
    if (!done) {
      log_.write(LogLevel::error, "heartbeat_failed", {{"error", done.error().message}});
      next_sweep_ = std::min(next_sweep_, now + kGrace);
      return;
    }
    next_heartbeat_ = now + options_.flow_lease / 3;
  }
  next_sweep_ = std::min(next_sweep_, next_heartbeat_);
}

// The others took this process for dead: it was frozen. What it did meanwhile under its old name is
// to be found, so that the name comes back without a lease.
Result<void> Engine::Ring::begin_anew(Instant now) {
  const auto key = store_->take_keys(1);
  if (!key) return std::unexpected(key.error());
  const auto worker_id = handler_prefix() + key_text(key->next);
  auto added = store_->add_flow_host({flow_worker_id_, options_.node_name, now, now});
  if (!added) return added;
  added = store_->add_flow_host({worker_id, options_.node_name, now, now + options_.flow_lease});
  if (!added) return added;
  log_.write(LogLevel::warning, "flow_host_lost", {{"was", flow_worker_id_}, {"is", worker_id}});
  flow_worker_id_ = worker_id;
  ++lives_;
  looked_until_ = kNoKey;
  flows_.begin_anew(worker_id);
  return {};
}

// Nobody would look after what comes of them.
void Engine::Ring::refuse_former_life(std::vector<Work>& works) {
  std::erase_if(works, [&](Work& work) {
    if (auto* start = std::get_if<facts::StartRequested>(&work.event);
        start && !start->entries.empty() && start->worker_id != flow_worker_id_) {
      start->entries.clear(); // its code begins again
    }
    const auto* advanced = std::get_if<facts::FlowAdvanced>(&work.event);
    if (advanced == nullptr || advanced->worker_id == flow_worker_id_) return false;
    ++counters_.fenced;
    if (work.reply) {
      work.reply(std::unexpected(
          Failure{.kind = Failure::Kind::refused,
                  .violation = std::string(name_of(facts::RefusalCode::lease_conflict)),
                  .message = "This process was taken for dead, and others have its runs now."}));
    }
    return true;
  });
}

void Engine::Ring::take_over(Instant now, std::vector<Work>& works) {
  const auto hosts = store_->expired_flow_hosts(now, kHosts);
  if (!hosts) {
    log_.write(LogLevel::error, "flow_hosts_failed", {{"error", hosts.error().message}});
    return;
  }
  for (const auto& worker_id : *hosts) {
    if (worker_id == flow_worker_id_) continue;
    const auto attempts = store_->flow_attempts_by(worker_id);
    if (attempts && !attempts->empty()) {
      log_.write(LogLevel::warning, "flow_host_lost", {{"worker_id", worker_id}});
      add_lost(*attempts, works);
      next_sweep_ = std::min(next_sweep_, now + kGrace);
      continue;
    }
    const auto removed = attempts ? store_->remove_flow_host(worker_id, now)
                                  : Result<void>(std::unexpected(attempts.error()));
    if (!removed) {
      log_.write(LogLevel::error, "flow_hosts_failed", {{"error", removed.error().message}});
    }
  }
}

void Engine::Ring::add_lost(const std::vector<store::FlowAttempt>& attempts,
                            std::vector<Work>& works) {
  for (const auto& attempt : attempts) {
    works.push_back({.target = Target::instance,
                     .key = attempt.instance_id,
                     .instance_id = attempt.instance_id,
                     .event = facts::FlowHostLost{attempt.worker_id, flow_worker_id_}});
  }
}

// A page of the runs whose code is to be told something: those that nobody goes on with, and those
// that this process has and others have changed. What another one calls a callback of is left to
// it: it looks as well, or is lost.
void Engine::Ring::wake_ready(Instant now) {
  if (now < next_look_) {
    if (is_shared()) next_sweep_ = std::min(next_sweep_, next_look_);
    return;
  }
  next_look_ = now + (is_shared() ? kShortPause : kLongPause);
  const auto page = store_->ready_flows(looked_until_, kPage);
  if (!page) {
    log_.write(LogLevel::error, "ready_flows_failed", {{"error", page.error().message}});
    return;
  }
  const bool is_last = std::cmp_less(page->size(), kPage);
  looked_until_ = is_last ? kNoKey : page->back().instance_id;
  if (!is_last) next_sweep_ = std::min(next_sweep_, next_look_);
  for (const auto& flow : *page) {
    const bool is_ours = !is_shared() || flow.host == flow_worker_id_;
    if (!is_ours && flow.busy) continue;
    if (!is_ours && flow.updated_at + kGrace > now) {
      next_sweep_ = std::min(next_sweep_, flow.updated_at + kGrace);
      continue;
    }
    flows_.wake(flow);
  }
}

// ---- schedules --------------------------------------------------------------------------------

void Engine::Ring::apply(ScheduleChange change) {
  const auto done = change_schedule(change);
  if (!done) {
    change.reply(std::unexpected(failure_of(done.error())));
    return;
  }
  parts_.events.schedules_due = true;
  if (change.schedule && change.schedule->due_at) {
    next_sweep_ = std::min(next_sweep_, *change.schedule->due_at);
  }
  change.reply(Done{});
}

// The same once more changes nothing: it goes on where it is.
Result<void> Engine::Ring::change_schedule(ScheduleChange& change) {
  if (!change.schedule) return store_->remove_flow_schedule(change.name);
  auto& wanted = *change.schedule;
  const auto known = store_->flow_schedule(wanted.name);
  if (!known) return std::unexpected(known.error());
  if (*known) {
    const auto& row = **known;
    if (row.process_id == wanted.process_id && row.input == wanted.input &&
        row.cycle == wanted.cycle && row.overlap == wanted.overlap &&
        row.misfire == wanted.misfire) {
      return {};
    }
    wanted.last_instance_id = row.last_instance_id;
  }
  const auto key = store_->take_keys(1);
  if (!key) return std::unexpected(key.error());
  wanted.id = key->next;
  return store_->put_flow_schedule(wanted);
}

} // namespace perdure::engine
