// Statement: one prepared query. Binds and reads whole rows by the fields that their struct
// describes: parameter N is field N, column N is field N.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "base/enum_text.h"
#include "base/time.h"
#include "perdure/result.h"
#include "perdure/value.h"
#include "store/sql.h"
#include "store/sqlite/counters.h"

struct sqlite3;
struct sqlite3_stmt;

namespace perdure::store::sqlite {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// Not thread-safe: belongs to its connection's thread. Text that is bound is not copied: it must
/// live until the statement was run or reset.
class Statement {
public:
  /// Parameters are written $1, $2 ... in the text. An error in it shows when the statement is run.
  Statement(sqlite3* database, const sql::Query& query, Counters* counters);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Binds parameters 1, 2 ... in order.
  template <class... Fields>
  Statement& bind(const Fields&... fields) {
    int index = 0;
    (bind_field(++index, fields), ...);
    return *this;
  }
  /// Binds every field that the query uses, parameter N to field N.
  template <class Row>
  Statement& bind_row(const Row& row) {
    int index = 0;
    for_each_field(row, [&](std::string_view, const auto& field) { bind_field(++index, field); });
    return *this;
  }
  /// Binds one parameter; one that the query does not use is passed over.
  template <class Field>
  void bind_field(int index, const Field& field);

  /// Runs a statement that gives no rows.
  [[nodiscard]] Result<void> run();
  /// How many rows the last run of this connection changed.
  [[nodiscard]] std::int64_t changes() const;
  /// Runs and reads the first row, if there is one.
  template <class Row>
  [[nodiscard]] Result<std::optional<Row>> row();
  /// Runs and reads all rows.
  template <class Row>
  [[nodiscard]] Result<std::vector<Row>> rows();
  /// Runs and calls take(*this) for every row; columns are read with column<T>().
  template <class Take>
  [[nodiscard]] Result<void> each(const Take& take);

  /// A column of the current row, from 0.
  template <class Field>
  [[nodiscard]] Field column(int index);
  /// The current row as a struct (column N is field N), a tuple, a pair of a struct and the column
  /// behind it, or the first column.
  template <class Row>
  [[nodiscard]] Row read();

  /// True when it could be prepared.
  [[nodiscard]] bool valid() const { return statement_ != nullptr; }
  [[nodiscard]] sqlite3_stmt* handle() const { return statement_; }

private:
  [[nodiscard]] bool takes(int index) const {
    return index < static_cast<int>(takes_.size()) && takes_[static_cast<std::size_t>(index)];
  }
  void bind_null(int index);
  void bind_int(int index, std::int64_t number);
  void bind_text(int index, std::string_view text);
  void bind_json(int index, const Value& value);
  [[nodiscard]] bool is_null(int index) const;
  [[nodiscard]] std::int64_t int_at(int index) const;
  [[nodiscard]] std::string_view text_at(int index) const;
  [[nodiscard]] Value json_at(int index);
  /// True: there is a row. Afterwards, and after an error, the statement is reset.
  [[nodiscard]] Result<bool> step();
  void reset();
  void unreadable(int index);
  [[nodiscard]] Error unreadable_error() const;

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  Counters* counters_;
  Error prepare_error_;
  std::vector<bool> takes_;        ///< which parameters the text uses, from 1
  std::vector<std::string> texts_; ///< JSON of bound values, by parameter; kept for their memory
  std::optional<std::string> unreadable_; ///< column whose value does not fit its field
  int bind_code_ = 0;
};

template <class Field>
void Statement::bind_field(int index, const Field& field) {
  if (!takes(index)) return;
  if constexpr (kIsOptional<Field>) {
    if (field) {
      bind_field(index, *field);
    } else {
      bind_null(index);
    }
  } else if constexpr (std::is_same_v<Field, Value>) {
    bind_json(index, field);
  } else if constexpr (std::is_same_v<Field, Instant>) {
    bind_int(index, to_ms(field));
  } else if constexpr (NamedEnum<Field>) {
    bind_text(index, name_of(field));
  } else if constexpr (std::is_integral_v<Field>) {
    bind_int(index, field);
  } else {
    bind_text(index, field);
  }
}

template <class Field>
Field Statement::column(int index) {
  if constexpr (kIsOptional<Field>) {
    if (is_null(index)) return std::nullopt;
    return column<typename Field::value_type>(index);
  } else if constexpr (std::is_same_v<Field, Value>) {
    return json_at(index);
  } else if constexpr (std::is_same_v<Field, Instant>) {
    return from_ms(int_at(index));
  } else if constexpr (NamedEnum<Field>) {
    const auto value = enum_from<Field>(text_at(index));
    if (!value) unreadable(index);
    return value.value_or(Field{});
  } else if constexpr (std::is_same_v<Field, bool>) {
    return int_at(index) != 0;
  } else if constexpr (std::is_integral_v<Field>) {
    return int_at(index);
  } else {
    return Field(text_at(index));
  }
}

template <class Row>
inline constexpr bool kIsTuple = false;
template <class... Fields>
inline constexpr bool kIsTuple<std::tuple<Fields...>> = true;

template <class Row>
inline constexpr bool kIsPair = false;
template <class First, class Second>
inline constexpr bool kIsPair<std::pair<First, Second>> = true;

template <class Row>
Row Statement::read() {
  if constexpr (kIsPair<Row>) {
    using First = typename Row::first_type;
    auto first = read<First>();
    return {std::move(first),
            column<typename Row::second_type>(static_cast<int>(kFieldCount<First>))};
  } else if constexpr (kIsTuple<Row>) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return Row{column<std::tuple_element_t<I, Row>>(static_cast<int>(I))...};
    }(std::make_index_sequence<std::tuple_size_v<Row>>());
  } else if constexpr (boost::describe::has_describe_members<Row>::value) {
    Row row;
    int index = 0;
    for_each_field(
        row, [&]<class Field>(std::string_view, Field& field) { field = column<Field>(index++); });
    return row;
  } else {
    return column<Row>(0);
  }
}

template <class Take>
Result<void> Statement::each(const Take& take) {
  for (;;) {
    const auto more = step();
    if (!more) return std::unexpected(more.error());
    if (!*more) return {};
    take(*this);
    if (unreadable_) {
      const auto error = unreadable_error();
      reset();
      return std::unexpected(error);
    }
  }
}

template <class Row>
Result<std::vector<Row>> Statement::rows() {
  std::vector<Row> rows;
  const auto done = each([&](Statement& statement) { rows.push_back(statement.read<Row>()); });
  if (!done) return std::unexpected(done.error());
  return rows;
}

template <class Row>
Result<std::optional<Row>> Statement::row() {
  std::optional<Row> row;
  const auto done = each([&](Statement& statement) {
    if (!row) row = statement.read<Row>();
  });
  if (!done) return std::unexpected(done.error());
  return row;
}

} // namespace perdure::store::sqlite
