#include "engine/flow_verify.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "base/check.h"
#include "flow/record.h"

namespace perdure::engine {

namespace {

constexpr std::int64_t kPage = 500;

/// What the code did and heard. The end of a run that was cancelled from outside is no deed of its
/// code.
class Deeds final : public flow::History {
public:
  explicit Deeds(flow::Recorded& recorded) : recorded_(recorded) {}

  std::optional<flow::Entry> next() override {
    auto entry = recorded_.next();
    if (!entry) return std::nullopt;
    if (const auto* heard = std::get_if<flow::Observation>(&*entry)) {
      cancelled_ = cancelled_ || std::holds_alternative<flow::CancelSeen>(*heard);
    } else if (const auto* end = std::get_if<flow::FlowEnded>(&std::get<flow::Deed>(*entry))) {
      if (end->kind == flow::FlowEnded::Kind::cancelled && !cancelled_) return std::nullopt;
    }
    return entry;
  }

private:
  flow::Recorded& recorded_;
  bool cancelled_ = false;
};

class Verifier {
public:
  Verifier(store::Reader& reader, std::span<const FlowCode> codes)
      : reader_(reader),
        codes_(codes),
        read_([&reader](Key id, std::int64_t after, std::int64_t n) {
          return reader.history(id, after, n);
        }) {}

  [[nodiscard]] Result<FlowVerification> run(std::int64_t ended) {
    std::set<std::string> names;
    for (const auto& code : codes_)
      names.insert(code.name);
    for (const auto& name : names) {
      if (auto done = verify(name, ended); !done) return std::unexpected(done.error());
    }
    return std::move(found_);
  }

private:
  [[nodiscard]] Result<void> verify(const std::string& name, std::int64_t ended) {
    using facts::InstanceStatus;
    constexpr auto kAll = std::int64_t{1} << 62;
    for (const auto status :
         {InstanceStatus::pending, InstanceStatus::running, InstanceStatus::paused}) {
      if (auto done = verify(name, status, kAll); !done) return done;
    }
    return ended > 0 ? verify(name, std::nullopt, ended) : Result<void>();
  }

  /// At most so many; without a status those that have ended.
  [[nodiscard]] Result<void> verify(const std::string& name,
                                    std::optional<facts::InstanceStatus> status,
                                    std::int64_t left) {
    store::Page page{.limit = kPage};
    while (true) {
      const auto rows =
          reader_.instances({.process_id = name, .status = status, .business_key = {}}, page);
      if (!rows) return std::unexpected(rows.error());
      for (const auto& [instance, incidents] : *rows) {
        if (!status && !is_terminal(instance.status)) continue;
        if (left-- <= 0) return {};
        if (auto done = verify(instance); !done) return done;
      }
      if (std::cmp_less(rows->size(), page.limit)) return {};
      page.after = rows->back().first.id;
    }
  }

  [[nodiscard]] Result<void> verify(const facts::ProcessInstance& instance) {
    const auto version = version_of(instance.definition_id);
    if (!version) return std::unexpected(version.error());
    if (!*version) return {}; // it runs a model of that name
    ++found_.runs;
    FlowMisfit misfit{
        .instance_id = instance.id, .flow = instance.process_id, .version = **version};
    const auto code = std::ranges::find_if(codes_, [&](const FlowCode& one) {
      return one.name == misfit.flow && one.version == misfit.version;
    });
    if (code == codes_.end()) {
      found_.misfits.push_back(std::move(misfit));
      return {};
    }
    FactReader facts(read_, instance.id);
    misfit.parting = replay(*code, facts);
    if (facts.error()) return std::unexpected(*facts.error());
    if (misfit.parting) found_.misfits.push_back(std::move(misfit));
    return {};
  }

  [[nodiscard]] static std::optional<flow::Divergence> replay(const FlowCode& code,
                                                              FactReader& facts) {
    std::optional<facts::Fact> first = facts.next();
    if (!first) return std::nullopt;
    const auto input = std::get<facts::InstanceStarted>(first->data).input;
    flow::Recorded recorded(
        [&] { return first ? std::exchange(first, std::nullopt) : facts.next(); });
    Deeds deeds(recorded);
    flow::Machine machine({.program = code.program(input)});
    machine.replay(deeds);
    return machine.divergence();
  }

  /// nullopt: not of a flow.
  [[nodiscard]] Result<std::optional<std::int64_t>> version_of(Key definition_id) {
    if (const auto known = versions_.find(definition_id); known != versions_.end()) {
      return known->second;
    }
    const auto row = reader_.definition(definition_id);
    if (!row) return std::unexpected(row.error());
    const bool is_flow = *row && (*row)->kind == facts::DefinitionKind::flow;
    return versions_[definition_id] = is_flow ? std::optional((*row)->version) : std::nullopt;
  }

  store::Reader& reader_;
  std::span<const FlowCode> codes_;
  const ReadHistory read_;
  std::map<Key, std::optional<std::int64_t>> versions_;
  FlowVerification found_;
};

} // namespace

Result<FlowVerification> verify_flows(store::Reader& reader, std::span<const FlowCode> codes,
                                      std::int64_t ended) {
  return Verifier(reader, codes).run(ended);
}

} // namespace perdure::engine
