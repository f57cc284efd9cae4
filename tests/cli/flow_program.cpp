// A user's program with a flow whose first step is called as its second argument says: starts one
// run and leaves it waiting. The third one: of version 2 ("v2"), or with limits and a schedule
// ("limited").
#include <string>
#include <thread>

#include "perdure/flow.h"

namespace {

std::string first_step;

perdure::Task<void> order(perdure::Flow& flow) {
  co_await flow.run(first_step, [] {});
  flow.set_attribute("done", true);
  co_await flow.wait("payment", "paid");
}

} // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  first_step = arguments[2];
  perdure::Engine engine{perdure::sqlite(arguments[1])};
  const std::string kind = count > 3 ? arguments[3] : "";
  perdure::FlowOptions options{.version = kind == "v2" ? 2 : 1};
  if (kind == "limited") {
    options.limits = {.running = 3, .starts = {.count = 10, .period = std::chrono::minutes(1)}};
  }
  engine.define<order>("order", options);
  const bool daily = kind == "limited";
  if (daily && !engine.schedule("nightly", "order", perdure::Value(), {.cron = "0 3 * * *"})) {
    return 4;
  }
  const auto id = engine.start("order");
  if (!id) return 3;
  while (engine.instance(*id)->variables.find("done") == nullptr)
    std::this_thread::yield();
  return 0;
}
