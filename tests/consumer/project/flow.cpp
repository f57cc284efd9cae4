// A program outside of the source tree with a flow: a step that fails once, one whose failure is
// caught, branches, an event. Shows that coroutines and exceptions cross the border of the library.
//   flow DATABASE
#include <perdure/flow.h>

#include <cstdio>
#include <stdexcept>

namespace {

using namespace std::chrono_literals;

struct Money {
  std::int64_t cents = 0;
  friend perdure::Value to_value(const Money& money) { return perdure::Value(money.cents); }
  friend void from_value(const perdure::Value& value, Money& money) {
    money.cents = perdure::decode<std::int64_t>(value);
  }
};

int tries = 0; // of one callback, which is called by one thread at a time

perdure::Task<Money> fulfil(perdure::Flow& flow, Money price) {
  const auto hold = co_await flow.run("reserve",
                                      [price] {
                                        if (++tries == 1)
                                          throw std::runtime_error("the shelf is locked");
                                        return price.cents;
                                      },
                                      {.initial = 1ms});
  std::int64_t declined = 0;
  try {
    co_await flow.run("charge", [] { throw perdure::NonRetryable("no funds", "Declined"); });
  } catch (const perdure::StepFailed& failed) {
    declined = failed.name() == "Declined" && failed.step() == "charge" ? 1 : 0;
  }
  const auto [paid, counted] =
      co_await flow.all(flow.wait<Money>("payment", "payment.received"),
                        flow.run("count", [](std::stop_token) { return std::int64_t{1000}; }));
  co_return Money{hold + declined + paid.cents + counted};
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  perdure::Engine engine{perdure::database(argv[1])};
  engine.define<fulfil>("order");
  const auto run = engine.start("order", Money{20}, {.id = "o-17"});
  if (!run) {
    std::fprintf(stderr, "start: %s\n", run.error().message.c_str());
    return 1;
  }
  if (const auto sent = engine.send(*run, "payment.received", Money{300}); !sent) {
    std::fprintf(stderr, "send: %s\n", sent.error().message.c_str());
    return 1;
  }
  const auto result = engine.result<Money>(*run, 30s);
  if (!result) {
    std::fprintf(stderr, "result: %s\n", result.error().message.c_str());
    return 1;
  }
  std::printf("flow done: %lld\n", static_cast<long long>(result->cents));
  return result->cents == 1321 ? 0 : 1;
}
