// Table: the rows of one kind of an instance, in key order, each with what the database does not
// know yet. Every look-up costs the logarithm of the rows, however many there are: by key, by the
// key of another row that it refers to (Link), by what has changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "facts/rows.h"

namespace perdure::facts {

/// What the database does not know yet about a row.
enum class Change : std::uint8_t { none, inserted, updated };

/// Whose key it is by which a row is looked up: parent is the scope around a scope, kNoKey around
/// the process.
enum class Link : std::uint8_t { token, scope, step, task, parent };

/// One row that another refers to; no key: none.
struct Reference {
  Link link;
  std::optional<Key> key;
};

/// What rows of a kind refer to, and never change: so they are found by it.
template <class Row>
auto references_of(const Row& row) {
  if constexpr (std::is_same_v<Row, Scope>) {
    // The token of a multi-instance owns all iterations: they are found by the scope around them.
    const bool is_iteration = row.kind == ScopeKind::iteration;
    return std::array{Reference{Link::token, is_iteration ? std::nullopt : row.token_id},
                      Reference{Link::parent, row.parent_id.value_or(kNoKey)}};
  } else if constexpr (std::is_same_v<Row, Token> || std::is_same_v<Row, ParallelJoin> ||
                       std::is_same_v<Row, CompensationRecord>) {
    return std::array{Reference{Link::scope, row.scope_id}};
  } else if constexpr (std::is_same_v<Row, StepRecord> || std::is_same_v<Row, JoinArrival> ||
                       std::is_same_v<Row, Incident>) {
    return std::array{Reference{Link::token, row.token_id}};
  } else if constexpr (std::is_same_v<Row, ExternalTask> || std::is_same_v<Row, UserTask>) {
    return std::array{Reference{Link::token, row.token_id}, Reference{Link::step, row.step_id}};
  } else if constexpr (std::is_same_v<Row, Timer> || std::is_same_v<Row, EventSubscription>) {
    return std::array{Reference{Link::token, row.token_id}, Reference{Link::scope, row.scope_id},
                      Reference{Link::step, row.step_id}};
  } else if constexpr (std::is_same_v<Row, DeadLetter>) {
    return std::array{Reference{Link::task, row.task_id}};
  } else {
    return std::array<Reference, 0>{};
  }
}

/// Rows of one table in key order.
template <class Row>
class Table {
public:
  struct Slot {
    Row row;
    Change change = Change::none;
  };

private:
  using RowKey = OwnedKey<Row>;
  using Rows = std::map<RowKey, Slot, std::less<>>;
  /// A row that refers to another.
  struct Entry {
    Link link;
    Key to;
    RowKey row;
    [[nodiscard]] std::pair<Link, Key> target() const { return {link, to}; }
  };
  struct ByTarget {
    using is_transparent = void;
    bool operator()(const Entry& a, const Entry& b) const {
      return std::tie(a.link, a.to, a.row) < std::tie(b.link, b.to, b.row);
    }
    bool operator()(const Entry& a, const std::pair<Link, Key>& b) const { return a.target() < b; }
    bool operator()(const std::pair<Link, Key>& a, const Entry& b) const { return a < b.target(); }
  };

public:
  /// The slots in key order. Rows may be changed and added while one goes through them.
  class Slots {
  public:
    class Iterator {
    public:
      using value_type = Slot;
      using difference_type = std::ptrdiff_t;
      using iterator_category = std::bidirectional_iterator_tag;
      using reference = const Slot&;
      using pointer = const Slot*;
      Iterator() = default;
      explicit Iterator(Rows::const_iterator at) : at_(at) {}
      reference operator*() const { return at_->second; }
      pointer operator->() const { return &at_->second; }
      Iterator& operator++() { return ++at_, *this; }
      Iterator& operator--() { return --at_, *this; }
      Iterator operator++(int) { return Iterator(at_++); }
      Iterator operator--(int) { return Iterator(at_--); }
      friend bool operator==(const Iterator&, const Iterator&) = default;

    private:
      Rows::const_iterator at_;
    };

    explicit Slots(const Rows& rows) : rows_(&rows) {}
    [[nodiscard]] Iterator begin() const { return Iterator(rows_->begin()); }
    [[nodiscard]] Iterator end() const { return Iterator(rows_->end()); }
    [[nodiscard]] std::size_t size() const { return rows_->size(); }
    [[nodiscard]] bool empty() const { return rows_->empty(); }
    [[nodiscard]] const Slot& front() const { return rows_->begin()->second; }

  private:
    const Rows* rows_;
  };

  /// Adds a row that the database has already.
  void load(Row row) { place(std::move(row), Change::none); }
  /// Adds a new row; its key must be unused.
  Row& insert(Row row) { return place(std::move(row), Change::inserted); }
  /// The row to be changed; it must exist. What it refers to (Link) stays as it is.
  template <class AnyKey>
  Row& update(const AnyKey& key) {
    const auto found = rows_.find(key);
    PERDURE_CHECK(found != rows_.end());
    auto& slot = found->second;
    if (slot.change == Change::none) {
      slot.change = Change::updated;
      changed_.push_back(found->first);
    }
    return slot.row;
  }
  /// The row, or nullptr. The pointer lives as long as the row is kept.
  template <class AnyKey>
  [[nodiscard]] const Row* find(const AnyKey& key) const {
    const auto found = rows_.find(key);
    return found == rows_.end() ? nullptr : &found->second.row;
  }
  /// The rows that refer to that key, in the order of their own keys. Rows may be changed and added
  /// while one goes through them.
  [[nodiscard]] auto of(Link link, Key key) const {
    const auto [first, last] = index_.equal_range(std::pair(link, key));
    return std::ranges::subrange(first, last) |
           std::views::transform([this](const Entry& entry) -> const Row& {
             return rows_.find(entry.row)->second.row;
           });
  }
  /// The rows whose keys are pairs that begin with `first`, in key order.
  [[nodiscard]] auto of_prefix(Key first) const {
    using Second = std::tuple_element_t<1, RowKey>;
    return std::ranges::subrange(rows_.lower_bound(RowKey(first, Second())),
                                 rows_.lower_bound(RowKey(first + 1, Second()))) |
           std::views::transform([](const auto& entry) -> const Row& { return entry.second.row; });
  }
  [[nodiscard]] Slots slots() const { return Slots(rows_); }
  /// The slots whose change is not saved, in key order.
  [[nodiscard]] std::vector<const Slot*> changed() const {
    std::set<RowKey> keys(changed_.begin(), changed_.end());
    std::vector<const Slot*> slots;
    slots.reserve(keys.size());
    for (const auto& key : keys)
      slots.push_back(&rows_.find(key)->second);
    return slots;
  }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  /// After a commit: every change is saved, and of the changed rows those that no decision needs
  /// again go. Each of them is handed to `gone` before.
  template <class Closed, class Gone>
  void saved(const Closed& closed, const Gone& gone) {
    for (const auto& key : std::exchange(changed_, {})) {
      const auto found = rows_.find(key);
      found->second.change = Change::none;
      if (!closed(found->second.row)) continue;
      gone(found->second.row);
      drop(found);
    }
  }
  template <class Closed>
  void saved(const Closed& closed) {
    saved(closed, [](const Row&) {});
  }
  /// Lets a row go that is saved and that no decision needs again.
  template <class AnyKey>
  void forget(const AnyKey& key) {
    const auto found = rows_.find(key);
    PERDURE_CHECK(found != rows_.end() && found->second.change == Change::none);
    drop(found);
  }

private:
  Row& place(Row row, Change change) {
    const auto references = references_of(row);
    // New keys grow: nearly every insert is at the end.
    const auto size = rows_.size();
    const auto at = rows_.emplace_hint(rows_.end(), RowKey(row_key(row)), Slot{{}, change});
    PERDURE_CHECK(rows_.size() == size + 1);
    for (const auto& [link, key] : references) {
      if (key) index_.insert(Entry{link, *key, at->first});
    }
    if (change != Change::none) changed_.push_back(at->first);
    at->second.row = std::move(row);
    return at->second.row;
  }
  void drop(Rows::iterator at) {
    for (const auto& [link, key] : references_of(at->second.row)) {
      if (key) index_.erase(Entry{link, *key, at->first});
    }
    rows_.erase(at);
  }

  Rows rows_;
  std::set<Entry, ByTarget> index_;
  std::vector<RowKey> changed_; ///< each once
};

} // namespace perdure::facts
