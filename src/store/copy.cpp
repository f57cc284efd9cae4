#include "store/copy.h"

#include <unordered_map>
#include <utility>

namespace perdure::store {

namespace {

/// Instances that travel together: at most so many, with at most so many facts.
constexpr std::int64_t kPage = 500;
constexpr std::int64_t kMostFacts = 20'000;

/// Puts every row behind the one that it refers to.
class ParentsFirst {
public:
  ParentsFirst(const CopyTable& table, std::vector<CellRow> rows)
      : id_(*table.id), parent_(*table.parent), rows_(std::move(rows)), placed_(rows_.size()) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      by_id_.emplace(std::get<std::int64_t>(rows_[i][id_]), i);
  }

  std::vector<CellRow> run() {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      place(i);
    return std::move(ordered_);
  }

private:
  void place(std::size_t row) {
    // From the row up to the first that stands already, then down again.
    std::vector<std::size_t> chain;
    for (auto at = row; !placed_[at];) {
      placed_[at] = true;
      chain.push_back(at);
      const auto* parent = std::get_if<std::int64_t>(&rows_[at][parent_]);
      if (parent == nullptr) break;
      const auto found = by_id_.find(*parent);
      if (found == by_id_.end()) break;
      at = found->second;
    }
    for (; !chain.empty(); chain.pop_back())
      ordered_.push_back(std::move(rows_[chain.back()]));
  }

  std::size_t id_;
  std::size_t parent_;
  std::vector<CellRow> rows_;
  std::vector<bool> placed_;
  std::unordered_map<std::int64_t, std::size_t> by_id_;
  std::vector<CellRow> ordered_;
};

class Copy {
public:
  Copy(CopySource& source, CopyTarget& target, const std::vector<CopyTable>& tables)
      : source_(source), target_(target), tables_(tables) {}

  Result<std::int64_t> run() {
    if (auto done = copy_others(false); !done) return std::unexpected(done.error());
    if (auto done = copy_instances(); !done) return std::unexpected(done.error());
    if (auto done = copy_others(true); !done) return std::unexpected(done.error());
    if (auto same = compare(); !same) return std::unexpected(same.error());
    const auto next_key = source_.next_key();
    if (!next_key) return std::unexpected(next_key.error());
    if (auto done = target_.finish(*next_key); !done) return std::unexpected(done.error());
    return rows_;
  }

private:
  Result<void> write(const CopyTable& table, std::vector<CellRow> rows) {
    if (rows.empty()) return {};
    rows_ += std::ssize(rows);
    if (table.parent) rows = ParentsFirst(table, std::move(rows)).run();
    auto done = target_.write(table, rows);
    if (!done) done.error().message += " (table " + table.name + ")";
    return done;
  }

  Result<void> copy_others(bool of_instances) {
    for (const auto& table : tables_) {
      if (table.of_instances != of_instances) continue;
      auto done = source_.other_rows(
          table, [&](std::vector<CellRow> rows) { return write(table, std::move(rows)); });
      if (!done) return done;
    }
    return {};
  }

  Result<void> copy_instances() {
    for (Key after = kNoKey;;) {
      const auto page = source_.instance_ages(after, kPage);
      if (!page) return std::unexpected(page.error());
      if (page->empty()) return {};
      std::int64_t facts = 0;
      std::size_t count = 0;
      for (const auto& instance : *page) {
        facts += instance.facts;
        if (count > 0 && facts > kMostFacts) break;
        ++count;
      }
      const auto last = (*page)[count - 1].id;
      if (auto done = copy_range(page->front().id, last); !done) return done;
      after = last;
    }
  }

  Result<void> copy_range(Key first, Key last) {
    for (const auto& table : tables_) {
      if (!table.of_instances) continue;
      auto rows = source_.rows(table, first, last);
      if (!rows) return std::unexpected(rows.error());
      if (auto done = write(table, std::move(*rows)); !done) return done;
    }
    return {};
  }

  Result<void> compare() {
    std::int64_t rows = 0;
    for (const auto& table : tables_) {
      const auto had = source_.count(table);
      if (!had) return std::unexpected(had.error());
      const auto has = target_.count(table);
      if (!has) return std::unexpected(has.error());
      rows += *has;
      if (*had == *has) continue;
      return fail(ErrorCode::internal,
                  "Table " + table.name + " has " + std::to_string(*had) + " rows and its copy " +
                      std::to_string(*has) + "; nothing was kept.",
                  table.name);
    }
    if (rows == rows_) return {};
    return fail(ErrorCode::internal, "The copy has " + std::to_string(rows) + " rows instead of " +
                                         std::to_string(rows_) + "; nothing was kept.");
  }

  CopySource& source_;
  CopyTarget& target_;
  const std::vector<CopyTable>& tables_;
  std::int64_t rows_ = 0;
};

} // namespace

Result<std::int64_t> copy_database(CopySource& source, CopyTarget& target,
                                   const std::vector<CopyTable>& tables) {
  return Copy(source, target, tables).run();
}

} // namespace perdure::store
