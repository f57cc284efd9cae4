// QueryResult: what one statement gave, read by rows into structs: column N is field N.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "perdure/result.h"
#include "store/postgres/libpq.h"
#include "store/postgres/wire.h"

namespace perdure::store::postgres {

template <class Row>
inline constexpr bool kIsTuple = false;
template <class... Fields>
inline constexpr bool kIsTuple<std::tuple<Fields...>> = true;

/// Owns the rows. Columns are in PostgreSQL's binary form.
class QueryResult {
public:
  QueryResult() = default;
  QueryResult(const Libpq& libpq, PGresult* result)
      : libpq_(&libpq), result_(result, libpq.clear) {}

  [[nodiscard]] int size() const { return result_ ? libpq_->ntuples(result_.get()) : 0; }
  /// Rows that the statement inserted, updated, deleted or gave.
  [[nodiscard]] std::int64_t changes() const;

  /// A field. A value that does not fit is remembered: see unreadable().
  template <class Field>
  [[nodiscard]] Field column(int row, int index) const;
  /// A row as a struct (column N is field N), a tuple, a pair of a struct and the column behind it,
  /// or the first column.
  template <class Row>
  [[nodiscard]] Row read(int row) const;
  /// The error of the first value that did not fit its field.
  [[nodiscard]] Result<void> readable() const;

  template <class Row>
  [[nodiscard]] Result<std::vector<Row>> rows() const;
  /// The first row, if there is one.
  template <class Row>
  [[nodiscard]] Result<std::optional<Row>> row() const;

private:
  [[nodiscard]] bool is_null(int row, int index) const {
    return libpq_->getisnull(result_.get(), row, index) != 0;
  }
  [[nodiscard]] std::string_view bytes(int row, int index) const {
    return {libpq_->getvalue(result_.get(), row, index),
            static_cast<std::size_t>(libpq_->getlength(result_.get(), row, index))};
  }
  [[nodiscard]] Value json_at(int row, int index) const;
  void unreadable(int index) const;

  const Libpq* libpq_ = nullptr;
  std::unique_ptr<PGresult, decltype(&PQclear)> result_{nullptr, nullptr};
  mutable std::optional<std::string> unreadable_;
};

template <class Field>
Field QueryResult::column(int row, int index) const {
  if constexpr (kIsOptional<Field>) {
    if (is_null(row, index)) return std::nullopt;
    return column<typename Field::value_type>(row, index);
  } else if constexpr (std::is_same_v<Field, Value>) {
    return json_at(row, index);
  } else if constexpr (std::is_same_v<Field, Instant>) {
    return time_from_wire(int_from_wire(bytes(row, index)));
  } else if constexpr (NamedEnum<Field>) {
    const auto value = enum_from<Field>(bytes(row, index));
    if (!value) unreadable(index);
    return value.value_or(Field{});
  } else if constexpr (std::is_same_v<Field, bool>) {
    return int_from_wire(bytes(row, index)) != 0;
  } else if constexpr (std::is_integral_v<Field>) {
    return int_from_wire(bytes(row, index));
  } else {
    return Field(bytes(row, index));
  }
}

template <class Row>
inline constexpr bool kIsPair = false;
template <class First, class Second>
inline constexpr bool kIsPair<std::pair<First, Second>> = true;

template <class Row>
Row QueryResult::read(int row) const {
  if constexpr (kIsPair<Row>) {
    using First = typename Row::first_type;
    auto first = read<First>(row);
    return {std::move(first),
            column<typename Row::second_type>(row, static_cast<int>(kFieldCount<First>))};
  } else if constexpr (kIsTuple<Row>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return Row{column<std::tuple_element_t<I, Row>>(row, static_cast<int>(I))...};
    }(std::make_index_sequence<std::tuple_size_v<Row>>());
  } else if constexpr (boost::describe::has_describe_members<Row>::value) {
    Row made;
    int index = 0;
    for_each_field(made, [&]<class Field>(std::string_view, Field& field) {
      field = column<Field>(row, index++);
    });
    return made;
  } else {
    return column<Row>(row, 0);
  }
}

template <class Row>
Result<std::vector<Row>> QueryResult::rows() const {
  std::vector<Row> made;
  made.reserve(static_cast<std::size_t>(size()));
  for (int i = 0; i < size(); ++i)
    made.push_back(read<Row>(i));
  if (const auto done = readable(); !done) return std::unexpected(done.error());
  return made;
}

template <class Row>
Result<std::optional<Row>> QueryResult::row() const {
  std::optional<Row> made;
  if (size() > 0) made = read<Row>(0);
  if (const auto done = readable(); !done) return std::unexpected(done.error());
  return made;
}

} // namespace perdure::store::postgres
