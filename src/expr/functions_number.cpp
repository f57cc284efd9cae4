// Built-in functions on numbers.
#include <array>
#include <string>

#include "expr/functions.h"
#include "expr/operators.h"

namespace perdure::expr {

namespace {

using enum Accepts;

/// Of a number or a duration.
Datum absolute(const Call& call) {
  if (call[0].number()) return call.number(0).absolute();
  if (const auto* days = call[0].days_duration()) return DaysDuration{days->seconds.absolute()};
  if (const auto* months = call[0].months_duration()) {
    return MonthsDuration{std::abs(months->months)};
  }
  return call.wrong_type(0, "a number or a duration");
}

template <Rounding rounding>
Datum round_to(const Call& call) {
  int scale = 0;
  if (call.arguments.size() == 2) {
    if (call[1].is_null()) return call.wrong_type(1, "a number");
    const auto digits = call.whole(1);
    if (!digits || *digits < -6111 || *digits > 6176) {
      return call.null_because(WarningKind::out_of_range, "the scale must be from -6111 to 6176.");
    }
    scale = static_cast<int>(*digits);
  }
  return finite(call.work, call.offset, call.number(0).rounded(rounding, scale));
}

/// Has the sign of the divisor.
Datum modulo(const Call& call) {
  const auto& divisor = call.number(1);
  if (divisor == Decimal(0)) {
    return call.null_because(WarningKind::out_of_range, "division by zero.");
  }
  auto rest = call.number(0).remainder(divisor);
  if (rest != Decimal(0) && rest.is_negative() != divisor.is_negative()) rest = rest + divisor;
  return finite(call.work, call.offset, rest);
}

Datum square_root(const Call& call) {
  if (call.number(0).is_negative()) return call.invalid("a negative number has no square root.");
  return call.number(0).square_root();
}

Datum logarithm(const Call& call) {
  if (call.number(0) <= Decimal(0)) return call.invalid("only a number above 0 has a logarithm.");
  return call.number(0).logarithm();
}

Datum exponential(const Call& call) {
  return finite(call.work, call.offset, call.number(0).exponential());
}

Datum even(const Call& call) { return call.number(0).remainder(Decimal(2)) == Decimal(0); }

Datum odd(const Call& call) {
  return call.number(0).remainder(Decimal(2)).absolute() == Decimal(1);
}

constexpr Formal kNumber = {"number", number};
constexpr std::array<Formal, 4> kRounded = {Formal{"n", number}, Formal{"scale", number}};

constexpr std::array kFunctions = std::to_array<Function>({
    {"abs", {{{"n"}}}, 1, absolute},
    {"ceiling", kRounded, 1, round_to<Rounding::ceiling>},
    {"decimal", kRounded, 2, round_to<Rounding::half_even>},
    {"even", {{kNumber}}, 1, even},
    {"exp", {{kNumber}}, 1, exponential},
    {"floor", kRounded, 1, round_to<Rounding::floor>},
    {"log", {{kNumber}}, 1, logarithm},
    {"modulo", {{{"dividend", number}, {"divisor", number}}}, 2, modulo},
    {"odd", {{kNumber}}, 1, odd},
    {"round down", kRounded, 2, round_to<Rounding::down>},
    {"round half down", kRounded, 2, round_to<Rounding::half_down>},
    {"round half up", kRounded, 2, round_to<Rounding::half_up>},
    {"round up", kRounded, 2, round_to<Rounding::up>},
    {"sqrt", {{kNumber}}, 1, square_root},
});

} // namespace

std::span<const Function> number_functions() { return kFunctions; }

} // namespace perdure::expr
