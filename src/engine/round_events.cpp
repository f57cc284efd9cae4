// Events on their way: what instances sent, what came from outside, what time starts. Each is a
// row; what it does to an instance and what becomes of the row are committed together. What is
// refused because its receiver is gone looks for another one; what nobody can have is discarded.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/json.h"
#include "decide/start_triggers.h"
#include "engine/round.h"

namespace perdure::engine {

namespace {

constexpr std::int64_t kPendingAtOnce = 256;
constexpr std::int64_t kPortion = 256;
/// Of the payloads that one portion of a signal makes.
constexpr std::int64_t kPortionBytes = std::int64_t{8} * 1024 * 1024;
constexpr std::int64_t kMessagesAtOnce = 512;
constexpr int kMaxSearches = 64;
constexpr std::int64_t kMaxCallDepth = 64;
/// How long a message that an instance sends waits for its receiver.
constexpr Duration kUsualTimeToLive{60 * 60'000};

const Value& member(const Value& payload, std::string_view name) {
  static const Value none;
  const auto* value = payload.find(name);
  return value ? *value : none;
}

std::string text_of(const Value& payload, std::string_view name) {
  const auto* text = member(payload, name).as<std::string>();
  return text ? *text : std::string();
}

std::optional<std::string> text_or_none(const Value& payload, std::string_view name) {
  auto text = text_of(payload, name);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

Key key_of(const Value& payload, std::string_view name) {
  return parse_key(text_of(payload, name)).value_or(kNoKey);
}

std::optional<Key> some_key_of(const Value& payload, std::string_view name) {
  const auto key = key_of(payload, name);
  return key == kNoKey ? std::nullopt : std::optional(key);
}

std::int64_t number_of(const Value& payload, std::string_view name) {
  const auto* number = member(payload, name).as<std::int64_t>();
  return number ? *number : 0;
}

std::optional<Value> variables_of(const Value& payload) {
  const auto& variables = member(payload, "variables");
  return variables.is_object() ? std::optional(variables) : std::nullopt;
}

store::PendingMoved done_with(const facts::PendingEvent& event, facts::PendingState state,
                              Instant now) {
  return {.id = event.id,
          .reached_before = event.reached_id,
          .reached_id = event.reached_id,
          .state = state,
          .closed_at = std::max(now, event.created_at)};
}

facts::CallOutcome outcome_of(std::string_view name) {
  if (name == "completed") return facts::CallOutcome::completed;
  return name == "error" ? facts::CallOutcome::error : facts::CallOutcome::cancelled;
}

} // namespace

// ---- what is to be delivered --------------------------------------------------------------------

void Round::take_events(std::vector<Work>& works) {
  auto& notes = parts_.events;
  if (std::exchange(notes.pending, false)) take_pending(works);
  if (std::exchange(notes.starts_due, false)) take_starts(works);
  if (std::exchange(notes.schedules_due, false)) take_schedules(works);
  if (std::exchange(notes.admissions, false)) let_in(works);
  const auto others = std::ssize(works);
  if (!notes.opened.empty()) match_opened(works);
  if (!notes.kept.empty()) offer_kept(works);
  if (notes.check_all || notes.check_page) check_messages(works);
  // A message that is there already comes before a timeout that is over already.
  std::rotate(works.begin(), works.begin() + others, works.end());
}

void Round::take_pending(std::vector<Work>& works) {
  auto rows = parts_.store.pending_events(kPendingAtOnce);
  if (!rows) {
    parts_.log.write(LogLevel::error, "pending_events_failed", {{"error", rows.error().message}});
    failed_ = true;
    return;
  }
  if (std::cmp_equal(rows->size(), kPendingAtOnce)) parts_.events.pending = true;
  for (auto& row : *rows) {
    const auto found = parts_.events.trials.find(row.id);
    const auto trials = found == parts_.events.trials.end() ? EventNotes::Trials{} : found->second;
    if (auto work = work_of(std::move(row))) {
      work->tries = trials.tries;
      work->overtaken = trials.overtaken;
      works.push_back(std::move(*work));
    }
  }
}

std::optional<Work> Round::work_of(facts::PendingEvent event) {
  const auto& payload = event.payload;
  const auto target = event.target_instance_id.value_or(kNoKey);
  Work work{.target = Target::instance,
            .key = target,
            .instance_id = target,
            .tenant_id = event.tenant_id};
  work.errand = std::make_unique<Errand>();
  work.errand->events.moved.push_back(done_with(event, facts::PendingState::delivered, now_));
  switch (event.kind) {
    case facts::PendingKind::message:
      work.target = Target::message;
      work.errand->message = Message{.name = event.name.value_or(""),
                                     .key = event.correlation_key,
                                     .id = {},
                                     .variables = variables_of(payload).value_or(Object{}),
                                     .time_to_live = kUsualTimeToLive};
      break;
    case facts::PendingKind::signal: work.target = Target::none; break;
    case facts::PendingKind::signal_to:
      work.event = facts::SignalOccurred{event.name.value_or(""), variables_of(payload)};
      break;
    case facts::PendingKind::start:
      work.target = Target::fresh;
      work.instance_id = kNoKey;
      work.event = facts::StartRequested{
          .definition_id = key_of(payload, "definition_id"),
          .tenant_id = event.tenant_id,
          .business_key = text_or_none(payload, "business_key"),
          .variables = variables_of(payload).value_or(Object{}),
          .start_node_id = text_of(payload, "start_node_id"),
          .instance_id = target,
          .parent_instance_id = {},
          .parent_token_id = {},
          .priority = number_of(payload, "priority"),
          .limit_key = text_or_none(payload, "limit_key"),
          .previous_instance_id = some_key_of(payload, "previous_instance_id")};
      break;
    case facts::PendingKind::call:
      if (!call(work, event)) return std::nullopt;
      break;
    case facts::PendingKind::call_ended:
      work.event = facts::CallEnded{.token_id = event.target_token_id.value_or(kNoKey),
                                    .called_instance_id = event.instance_id.value_or(kNoKey),
                                    .outcome = outcome_of(text_of(payload, "outcome")),
                                    .code = event.name.value_or(""),
                                    .message = text_of(payload, "message"),
                                    .variables = variables_of(payload)};
      break;
    case facts::PendingKind::call_escalated:
      work.event = facts::CallEscalated{.token_id = event.target_token_id.value_or(kNoKey),
                                        .code = event.name.value_or(""),
                                        .variables = variables_of(payload)};
      break;
    case facts::PendingKind::call_cancelled:
      work.event = facts::CancelRequested{
          .reason =
              text_or_none(payload, "reason")
                  .value_or("The instance that called this one does not wait for it any more."),
          .by_caller = true};
      break;
  }
  work.errand->pending = std::move(event);
  return work;
}

// ---- calls ----------------------------------------------------------------------------------

// The instance that the call activity has chosen a key for begins, or the caller learns why not.
// False when the database could not say which version is called: the next sweep asks again.
bool Round::call(Work& work, const facts::PendingEvent& event) {
  const auto& payload = event.payload;
  const auto depth = parts_.store.call_depth(event.instance_id.value_or(kNoKey), kMaxCallDepth);
  auto definition_id = depth ? called_version(event) : Result<Key>(std::unexpected(depth.error()));
  if (depth && *depth >= kMaxCallDepth) {
    definition_id =
        fail(ErrorCode::not_found, "Processes call each other " + std::to_string(kMaxCallDepth) +
                                       " levels deep: end the recursion in the model, then retry.");
  }
  if (!definition_id && definition_id.error().code != ErrorCode::not_found) {
    failed_ = true;
    return false;
  }
  if (!definition_id) {
    report_failed_call(work, event, definition_id.error().message);
    return true;
  }
  work.target = Target::fresh;
  work.instance_id = kNoKey;
  work.event = facts::StartRequested{.definition_id = *definition_id,
                                     .tenant_id = event.tenant_id,
                                     .business_key = text_or_none(payload, "business_key"),
                                     .variables = variables_of(payload).value_or(Object{}),
                                     .start_node_id = {},
                                     .instance_id = event.target_instance_id.value_or(kNoKey),
                                     .parent_instance_id = event.instance_id,
                                     .parent_token_id = key_of(payload, "token_id")};
  return true;
}

Result<Key> Round::called_version(const facts::PendingEvent& event) {
  const auto& payload = event.payload;
  const auto process_id = text_of(payload, "process_id");
  const auto binding = text_of(payload, "binding");
  const auto version = text_of(payload, "version");
  if (binding == "latest") return parts_.definitions.latest(event.tenant_id, process_id);
  Result<std::optional<Key>> found = std::nullopt;
  if (binding == "version_tag") {
    found = parts_.store.version_by_tag(event.tenant_id, process_id, version);
  } else if (binding == "version") {
    std::int64_t number = 0;
    std::from_chars(version.data(), version.data() + version.size(), number);
    found = parts_.store.version_by_number(event.tenant_id, process_id, number);
  } else {
    const auto* caller = parts_.cache.find(event.instance_id.value_or(kNoKey));
    auto states = caller ? Result<std::vector<facts::InstanceState>>()
                         : parts_.store.load(std::array{event.instance_id.value_or(kNoKey)});
    if (!states) return std::unexpected(states.error());
    const auto caller_id = caller            ? caller->instance.definition_id
                           : states->empty() ? kNoKey
                                             : states->front().instance.definition_id;
    found = parts_.store.version_beside(process_id, caller_id);
  }
  if (!found) return std::unexpected(found.error());
  if (*found) return **found;
  return fail(ErrorCode::not_found,
              "There is no process \"" + process_id + "\" with the " +
                  (binding == "version_tag" ? "version tag \"" + version + "\""
                   : binding == "version"   ? "version " + version
                                            : "same file as its caller") +
                  ": deploy it, then retry.");
}

void Round::report_failed_call(Work& work, const facts::PendingEvent& event, std::string why) {
  work.target = Target::instance;
  work.key = work.instance_id = event.instance_id.value_or(kNoKey);
  work.event = facts::CallEnded{.token_id = key_of(event.payload, "token_id"),
                                .called_instance_id = event.target_instance_id.value_or(kNoKey),
                                .outcome = facts::CallOutcome::failed,
                                .code = {},
                                .message = std::move(why),
                                .variables = {}};
}

// ---- signals ------------------------------------------------------------------------------------

// One portion: rows for the next instances that wait, and how far the signal is now.
void Round::spread_signal(Work& work) {
  const auto& signal = *work.errand->pending;
  const auto bytes = std::max<std::int64_t>(std::ssize(json::write(signal.payload)), 1);
  const auto limit = std::clamp<std::int64_t>(kPortionBytes / bytes, 1, kPortion);
  const auto name = signal.name.value_or("");
  const auto receivers = parts_.store.signal_receivers(signal.tenant_id, name, signal.created_at,
                                                       signal.reached_id, limit);
  if (const auto keys = ensure_keys(2 * kPortion); !receivers || !keys) {
    miss(work, failure_of(!receivers ? receivers.error() : keys.error()));
    return;
  }
  store::Delivered events;
  if (signal.reached_id == kNoKey) events.sent = starts_by_signal(signal);
  for (const auto instance_id : *receivers) {
    // The sender heard it when it was thrown.
    if (instance_id == signal.instance_id) continue;
    events.sent.push_back({.id = parts_.keys.take(),
                           .instance_id = {},
                           .tenant_id = signal.tenant_id,
                           .node_id = {},
                           .kind = facts::PendingKind::signal_to,
                           .name = name,
                           .correlation_key = {},
                           .target_instance_id = instance_id,
                           .target_token_id = {},
                           .payload = signal.payload,
                           .created_at = now_,
                           .closed_at = {}});
  }
  auto moved = done_with(signal, facts::PendingState::delivered, now_);
  if (!receivers->empty()) moved.reached_id = receivers->back();
  if (std::cmp_equal(receivers->size(), limit)) {
    moved.state = facts::PendingState::pending;
    moved.closed_at.reset();
  }
  events.moved.push_back(moved);
  write_loose(&work, std::move(events));
}

// One from outside becomes a row first.
void Round::send_signal(Work& work) {
  if (const auto keys = ensure_keys(1); !keys) {
    miss(work, failure_of(keys.error()));
    return;
  }
  auto events = work.errand->events;
  for (auto& signal : events.sent) {
    signal.id = parts_.keys.take();
    signal.created_at = now_;
  }
  write_loose(&work, std::move(events));
}

std::vector<facts::PendingEvent> Round::starts_by_signal(const facts::PendingEvent& signal) {
  std::vector<facts::PendingEvent> rows;
  const auto starts =
      parts_.store.starts(signal.tenant_id, facts::StartKind::signal, signal.name.value_or(""));
  if (!starts) return rows;
  for (const auto& start : *starts) {
    if (parts_.keys.left() < 2 * kPortion && !ensure_keys(2 * kPortion)) break;
    rows.push_back(
        {.id = parts_.keys.take(),
         .instance_id = {},
         .tenant_id = signal.tenant_id,
         .node_id = {},
         .kind = facts::PendingKind::start,
         .name = signal.name,
         .correlation_key = {},
         .target_instance_id = parts_.keys.take(),
         .target_token_id = {},
         .payload = Object{{"definition_id", key_text(start.definition_id)},
                           {"start_node_id", start.node_id},
                           {"variables", variables_of(signal.payload).value_or(Object{})}},
         .created_at = now_,
         .closed_at = {}});
  }
  return rows;
}

// ---- time ---------------------------------------------------------------------------------------

void Round::take_starts(std::vector<Work>& works) {
  const auto rows = parts_.store.due_starts(now_, kPendingAtOnce);
  if (!rows) {
    parts_.log.write(LogLevel::error, "due_starts_failed", {{"error", rows.error().message}});
    failed_ = true;
    return;
  }
  if (std::cmp_equal(rows->size(), kPendingAtOnce)) parts_.events.starts_due = true;
  for (const auto& row : *rows) {
    store::StartMoved moved{.id = row.id,
                            .occurrence_before = row.occurrence,
                            .occurrence = row.occurrence,
                            .due_at = row.due_at.value_or(now_),
                            .state = facts::StartState::closed,
                            .closed_at = std::max(now_, row.opened_at)};
    if (const auto next = decide::next_start(row, moved.due_at, now_)) {
      moved.occurrence = next->number;
      moved.due_at = next->due_at;
      moved.state = facts::StartState::open;
      moved.closed_at.reset();
      if (!next_due_ || next->due_at < *next_due_) next_due_ = next->due_at;
    }
    Work work{.target = Target::fresh, .tenant_id = row.tenant_id};
    work.event = facts::StartRequested{.definition_id = row.definition_id,
                                       .tenant_id = row.tenant_id,
                                       .business_key = {},
                                       .variables = Object{},
                                       .start_node_id = row.node_id,
                                       .parent_instance_id = {},
                                       .parent_token_id = {}};
    work.errand = std::make_unique<Errand>();
    work.errand->events.started.push_back(moved);
    works.push_back(std::move(work));
  }
}

// ---- messages that wait -------------------------------------------------------------------------

// Subscriptions that opened since the last look: a message may have come before them.
void Round::match_opened(std::vector<Work>& works) {
  const auto opened = std::exchange(parts_.events.opened, {});
  const auto matches = parts_.store.waiting_messages(opened, now_);
  if (!matches) {
    parts_.log.write(LogLevel::error, "waiting_messages_failed",
                     {{"error", matches.error().message}});
    failed_ = true;
    parts_.events.check_later = true;
    return;
  }
  for (const auto& match : *matches)
    offer_message(match.message_id, match.receiver, works);
}

// Messages that were kept, or put back, since the last look.
void Round::offer_kept(std::vector<Work>& works) {
  for (const auto message_id : std::exchange(parts_.events.kept, {})) {
    if (!offer_page(message_id - 1, 1, works)) return;
  }
}

// After a start, and where other nodes may have lost one, page by page every message is offered.
void Round::check_messages(std::vector<Work>& works) {
  auto& notes = parts_.events;
  notes.check_page = false;
  const auto before = notes.checked;
  if (!offer_page(before, kMessagesAtOnce, works)) notes.check_all = false;
  if (notes.checked != before) return;
  notes.check_all = false;
  notes.checked = kNoKey;
}

// False when the database did not answer: the next sweep asks for all.
bool Round::offer_page(Key after, std::int64_t limit, std::vector<Work>& works) {
  const auto page = parts_.store.awaited_messages(after, limit, now_);
  if (!page) {
    parts_.log.write(LogLevel::error, "awaited_messages_failed", {{"error", page.error().message}});
    failed_ = true;
    parts_.events.check_later = true;
    return false;
  }
  for (const auto& [message_id, subscription_id] : *page) {
    if (limit > 1) parts_.events.checked = message_id;
    if (!subscription_id) continue;
    const auto owner = parts_.store.instance_of_subscription(*subscription_id);
    if (owner && *owner) offer_message(message_id, {*subscription_id, **owner}, works);
  }
  return true;
}

void Round::offer_message(Key message_id, const store::Receiver& receiver,
                          std::vector<Work>& works) {
  if (!messages_offered_.insert(message_id).second) {
    // The next one may be for it.
    parts_.events.opened.push_back(receiver.subscription_id);
    return;
  }
  const auto message = parts_.store.message_by_id(message_id);
  if (!message || !*message || (*message)->claimed_at) return;
  Work work{.target = Target::instance,
            .key = receiver.instance_id,
            .instance_id = receiver.instance_id,
            .tenant_id = (*message)->tenant_id};
  work.event = facts::EventOccurred{receiver.subscription_id, std::move((*message)->payload)};
  work.errand = std::make_unique<Errand>();
  work.errand->inbound_id = message_id;
  work.errand->subscription_id = receiver.subscription_id;
  work.errand->events.taken.push_back({.id = message_id,
                                       .claimed_by = receiver.subscription_id,
                                       .claimed_at = std::max(now_, (*message)->received_at)});
  works.push_back(std::move(work));
}

// ---- messages that come -------------------------------------------------------------------------

// False when the message is answered, kept or put off.
bool Round::find_receiver(Work& work) {
  auto& errand = *work.errand;
  const auto& message = *errand.message;
  if (was_received(work)) return false;
  if (message.run_id && !find_run(work)) return false;
  const auto receivers =
      parts_.store.message_receivers(work.tenant_id, message.name, message.key, 2);
  if (!receivers) {
    miss(work, failure_of(receivers.error()));
    return false;
  }
  if (receivers->size() > 1 && message.refuse_ambiguous) {
    miss(work, {.kind = Failure::Kind::refused,
                .violation = "AmbiguousMessage",
                .message = "More than one subscription waits for this message: name a correlation "
                           "key that only one has, or let the oldest have it."});
    return false;
  }
  if (receivers->empty()) return find_start(work);
  const auto& receiver = receivers->front();
  errand.fate = Correlated::Fate::taken;
  errand.subscription_id = receiver.subscription_id;
  work.target = Target::instance;
  work.instance_id = receiver.instance_id;
  work.event = facts::EventOccurred{receiver.subscription_id, message.variables};
  return true;
}

// A message with an id that is known already is answered with what became of the first one.
bool Round::was_received(Work& work) {
  const auto& message = *work.errand->message;
  if (!message.id) return false;
  const auto known = parts_.store.message(work.tenant_id, message.name, *message.id);
  if (!known) {
    miss(work, failure_of(known.error()));
    return true;
  }
  if (!*known) return false;
  ++parts_.counters.repeated;
  const auto fate = (*known)->claimed_at ? Correlated::Fate::taken : Correlated::Fate::buffered;
  reply(work, Outcome{.instance_id = kNoKey, .repeated = true, .fate = fate});
  return true;
}

bool Round::find_start(Work& work) {
  auto& errand = *work.errand;
  const auto& message = *errand.message;
  if (message.starts_nothing) return keep_message(work);
  const auto starts = parts_.store.starts(work.tenant_id, facts::StartKind::message, message.name);
  if (!starts) {
    miss(work, failure_of(starts.error()));
    return false;
  }
  if (starts->empty()) return keep_message(work);
  if (starts->size() > 1 && message.refuse_ambiguous) {
    miss(work, {.kind = Failure::Kind::refused,
                .violation = "AmbiguousMessage",
                .message = "More than one process begins by this message: give their messages "
                           "names of their own, or let the newest one have it."});
    return false;
  }
  const auto& start = starts->front();
  errand.fate = Correlated::Fate::started;
  work.target = Target::fresh;
  work.instance_id = kNoKey;
  work.event = facts::StartRequested{.definition_id = start.definition_id,
                                     .tenant_id = work.tenant_id,
                                     .business_key = message.key,
                                     .unique_business_key = message.start_once_per_key,
                                     .variables = message.variables,
                                     .start_node_id = start.node_id,
                                     .parent_instance_id = {},
                                     .parent_token_id = {}};
  return true;
}

// Nobody waits for it now: it waits itself. Always false.
bool Round::keep_message(Work& work) {
  auto& errand = *work.errand;
  const auto& message = *errand.message;
  if (message.time_to_live <= Duration::zero()) {
    miss(work, {.kind = Failure::Kind::refused,
                .violation = "MessageNotAwaited",
                .message = "Nobody waits for this message and it has no time to live: send it "
                           "later, or with a time to live."});
    return false;
  }
  if (const auto keys = ensure_keys(1); !keys) {
    miss(work, failure_of(keys.error()));
    return false;
  }
  auto events = errand.events;
  const auto id = parts_.keys.take();
  events.received.push_back({.id = id,
                             .tenant_id = work.tenant_id,
                             .name = message.name,
                             .correlation_key = message.key,
                             .message_id = message.id,
                             .payload = message.variables,
                             .received_at = now_,
                             .expires_at = now_ + message.time_to_live,
                             .claimed_by = {},
                             .claimed_at = {}});
  errand.fate = Correlated::Fate::buffered;
  errand.inbound_id = id;
  write_loose(&work, std::move(events), Outcome{.fate = Correlated::Fate::buffered});
  return false;
}

// ---- what becomes of it -------------------------------------------------------------------------

void Round::write_loose(Work* work, store::Delivered events, Outcome outcome) {
  Loose loose{.work = work, .unit = {.events = std::move(events)}, .outcome = std::move(outcome)};
  const auto& answer = loose.outcome;
  if (work && work->idempotency) {
    Object said{{"instance_id", key_text(kNoKey)}, {"fate", std::string(name_of(answer.fate))}};
    if (!answer.begun.empty()) said.append("begun", answer.begun);
    loose.unit.idempotency.push_back({.key = work->idempotency->key,
                                      .tenant_id = work->tenant_id,
                                      .request_digest = work->idempotency->digest,
                                      .outcome = json::write(Value(std::move(said))),
                                      .created_at = now_,
                                      .expires_at = now_ + parts_.options.idempotency_ttl});
  }
  loose_.push_back(std::move(loose));
}

// What has a row is never put off with its work: the row brings it again.
bool Round::fits_in(Work& work, const Unit& unit) {
  const bool busy = !unit.accepted.empty() || !unit.refused.empty();
  const bool changes = unit.was_paused && !unit.facts.empty();
  if (!unit.broken && !unit.alone && !changes && (work.tries == 0 || !busy)) return true;
  put_back(work, nullptr);
  return false;
}

// The unit takes the work's rows with it.
void Round::write_errand(Unit& unit, const Work& work) {
  const auto& errand = *work.errand;
  auto& events = unit.events;
  std::ranges::copy(errand.events.taken, std::back_inserter(events.taken));
  std::ranges::copy(errand.events.moved, std::back_inserter(events.moved));
  std::ranges::copy(errand.events.started, std::back_inserter(events.started));
  std::ranges::copy(errand.events.sent, std::back_inserter(events.sent));
  for (auto moved : errand.events.scheduled) {
    moved.last_instance_id = unit.instance_id;
    events.scheduled.push_back(moved);
  }
  if (!errand.message || !errand.message->id) return;
  const auto& message = *errand.message;
  const auto by =
      errand.fate == Correlated::Fate::started ? unit.instance_id : errand.subscription_id;
  events.received.push_back({.id = parts_.keys.take(),
                             .tenant_id = work.tenant_id,
                             .name = message.name,
                             .correlation_key = message.key,
                             .message_id = message.id,
                             .payload = Object{},
                             .received_at = now_,
                             .expires_at = now_ + message.time_to_live,
                             .claimed_by = by,
                             .claimed_at = now_});
}

// The work found no receiver, or the receiver will not have it.
void Round::miss(Work& work, Failure failure) {
  auto& errand = *work.errand;
  const bool later = failure.kind == Failure::Kind::unavailable;
  const bool gone = failure.violation == name_of(facts::RefusalCode::token_finalized_twice) ||
                    failure.violation == name_of(facts::RefusalCode::instance_finished) ||
                    failure.kind == Failure::Kind::not_found;
  const bool paused = failure.violation == name_of(facts::RefusalCode::instance_paused);
  if (errand.message && (gone || paused) && ++errand.searches < kMaxSearches) {
    work.target = Target::message;
    work.instance_id = kNoKey;
    later_.push_back(std::move(work));
    return;
  }
  if (work.reply) {
    reply(work, std::unexpected(std::move(failure)));
    return;
  }
  if (later) {
    failed_ = true; // the rows are looked at again with the next sweep
    return;
  }
  if (paused) return; // its row is looked at again when the instance is resumed
  if (errand.inbound_id && !errand.message) {
    if (gone) parts_.events.kept.push_back(*errand.inbound_id);
    return;
  }
  if (!errand.pending) {
    parts_.log.write(LogLevel::error, "start_failed", {{"error", failure.message}});
    if (!errand.events.started.empty() || !errand.events.scheduled.empty()) {
      auto events = errand.events;
      events.sent.clear();
      write_loose(nullptr, std::move(events));
    }
    return;
  }
  if (errand.pending->kind == facts::PendingKind::call_cancelled && gone) {
    const auto called = parts_.store.is_call_pending(work.key);
    if (!called || *called) return;
  }
  // It could not begin: its caller must not wait for it.
  if (errand.pending->kind == facts::PendingKind::call && work.target == Target::fresh) {
    report_failed_call(work, *errand.pending, failure.message);
    later_.push_back(std::move(work));
    return;
  }
  discard(*errand.pending, failure.message);
}

void Round::discard(const facts::PendingEvent& event, std::string_view why) {
  parts_.events.trials.erase(event.id);
  parts_.log.write(LogLevel::info, "event_discarded",
                   {{"pending_event_id", key_text(event.id)},
                    {"kind", std::string(name_of(event.kind))},
                    {"why", std::string(why)}});
  store::Delivered events;
  events.moved.push_back(done_with(event, facts::PendingState::discarded, now_));
  write_loose(nullptr, std::move(events));
}

// It could not be committed. What has a row is found again by it.
void Round::put_back(Work& work, int EventNotes::Trials::* counter) {
  const auto& errand = *work.errand;
  if (work.reply) {
    if (counter == &EventNotes::Trials::tries) ++work.tries;
    if (counter == &EventNotes::Trials::overtaken) ++work.overtaken;
    if (errand.message) {
      work.target = Target::message;
      work.instance_id = kNoKey;
    }
    later_.push_back(std::move(work));
    return;
  }
  if (errand.pending) {
    if (counter) ++(parts_.events.trials[errand.pending->id].*counter);
    parts_.events.pending = true;
  } else if (errand.inbound_id) {
    parts_.events.opened.push_back(errand.subscription_id);
  } else if (!errand.events.scheduled.empty()) {
    parts_.events.schedules_due = true;
  } else {
    parts_.events.starts_due = true;
  }
}

// After a commit: what it sent is to be delivered, what it waits for may be there.
void Round::note_events(const Unit& unit) {
  auto& notes = parts_.events;
  for (const auto& moved : unit.events.moved)
    notes.trials.erase(moved.id);
  if (!unit.events.sent.empty()) notes.pending = true;
  note_flow(unit);
  for (const auto& fact : unit.facts) {
    if (std::holds_alternative<facts::EventSent>(fact.data)) {
      notes.pending = true;
    } else if (const auto* opened = std::get_if<facts::SubscriptionOpened>(&fact.data)) {
      if (opened->kind == facts::SubscriptionKind::message) {
        notes.opened.push_back(opened->subscription_id);
      }
    } else if (const auto* asked = std::get_if<facts::FlowStepOpened>(&fact.data)) {
      if (asked->subscription) notes.opened.push_back(asked->subscription->subscription_id);
    } else if (std::holds_alternative<facts::InstanceResumed>(fact.data)) {
      notes.pending = true;
      for (const auto& slot : unit.state->subscriptions.slots())
        notes.opened.push_back(slot.row.id);
    } else if (const auto* triggered = std::get_if<facts::SubscriptionTriggered>(&fact.data)) {
      if (triggered->stays_open) notes.opened.push_back(triggered->subscription_id);
    }
  }
}

void Round::commit_loose() {
  auto rows = std::exchange(loose_, {});
  std::vector<store::Unit> writes;
  for (const auto& loose : rows)
    writes.push_back(loose.unit);
  const auto outcomes = parts_.store.commit(writes);
  if (!outcomes) failed_ = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    finish_loose(rows[i],
                 outcomes ? (*outcomes)[i] : store::UnitOutcome(std::unexpected(outcomes.error())));
  }
}

void Round::finish_loose(Loose& loose, const store::UnitOutcome& outcome) {
  auto& notes = parts_.events;
  for (const auto& moved : loose.unit.events.moved) {
    if (outcome) notes.trials.erase(moved.id);
    if (moved.state == facts::PendingState::pending) notes.pending = true;
  }
  if (!loose.unit.events.sent.empty()) notes.pending = true;
  if (outcome) {
    // Another node may have opened a subscription meanwhile: it did not see the message.
    if (parts_.store.is_shared()) {
      for (const auto& message : loose.unit.events.received)
        notes.kept.push_back(message.id);
    }
    if (loose.work) reply(*loose.work, loose.outcome);
    return;
  }
  parts_.log.write(LogLevel::warning, "delivery_failed", {{"error", outcome.error().message}});
  if (!loose.work) {
    notes.pending = true;
    return;
  }
  const bool overtaken = outcome.error().code == ErrorCode::conflict;
  if (outcome.error().code == ErrorCode::unavailable || loose.work->tries > 1) {
    miss(*loose.work, failure_of(outcome.error()));
    return;
  }
  put_back(*loose.work, overtaken ? &EventNotes::Trials::overtaken : &EventNotes::Trials::tries);
}

} // namespace perdure::engine
