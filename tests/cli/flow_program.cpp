// A user's program with a flow whose first step is called as its second argument says: starts one
// run and leaves it waiting.
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
  engine.define<order>("order", count > 3 ? 2 : 1);
  const auto id = engine.start("order");
  if (!id) return 3;
  while (engine.instance(*id)->variables.find("done") == nullptr)
    std::this_thread::yield();
  return 0;
}
