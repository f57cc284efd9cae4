#include "dmn/model.h"

#include <utility>

#include "dmn/compiled.h"

namespace perdure::dmn {

namespace {

bool gives_list(const Table& table) {
  switch (table.policy) {
    case HitPolicy::rule_order:
    case HitPolicy::output_order: return true;
    case HitPolicy::collect: return table.aggregator == Aggregator::none;
    case HitPolicy::unique:
    case HitPolicy::any:
    case HitPolicy::first:
    case HitPolicy::priority: break;
  }
  return false;
}

Entry entry_of(const Node& node) {
  Entry entry{.id = node.id,
              .name = node.name,
              .type = node.type,
              .outputs = {},
              .version_tag = node.version_tag,
              .place = node.place};
  const auto* table = node.body ? std::get_if<Table>(&node.body->form) : nullptr;
  if (table == nullptr) return entry;
  for (const auto& output : table->outputs)
    entry.outputs.push_back(output.name);
  entry.is_list = gives_list(*table);
  return entry;
}

std::vector<Entry> entries_of(const Compiled& compiled, ElementKind kind) {
  std::vector<Entry> entries;
  for (const auto& node : compiled.nodes) {
    if (node.kind == kind && node.document == 0) entries.push_back(entry_of(node));
  }
  return entries;
}

} // namespace

Model::Model(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
Model::~Model() = default;

const std::string& Model::id() const { return compiled_->id; }
const std::string& Model::name() const { return compiled_->name; }
const std::string& Model::model_namespace() const { return compiled_->namespaces.front(); }

std::string Model::key() const {
  if (!id().empty()) return id();
  if (!name().empty()) return name();
  return model_namespace().empty() ? "model" : model_namespace();
}

std::vector<Entry> Model::decisions() const {
  return entries_of(*compiled_, ElementKind::decision);
}
std::vector<Entry> Model::results() const {
  std::vector<bool> is_required(compiled_->nodes.size());
  for (const auto& node : compiled_->nodes) {
    for (const auto decision : node.decisions)
      is_required[static_cast<std::size_t>(decision)] = true;
  }
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < compiled_->nodes.size(); ++i) {
    const auto& node = compiled_->nodes[i];
    if (node.kind != ElementKind::decision || node.document != 0 || is_required[i]) continue;
    entries.push_back(entry_of(node));
  }
  return entries;
}

std::optional<Entry> Model::find(std::string_view key) const {
  for (const auto kind : {ElementKind::decision, ElementKind::service}) {
    for (const auto& node : compiled_->nodes) {
      if (node.kind == kind && node.document == 0 && key_of(node) == key) return entry_of(node);
    }
  }
  return std::nullopt;
}

std::vector<Entry> Model::services() const { return entries_of(*compiled_, ElementKind::service); }
std::vector<Entry> Model::inputs() const { return entries_of(*compiled_, ElementKind::input_data); }

} // namespace perdure::dmn
