// demo and the embedded example: what a newcomer sees first.
#include <gtest/gtest.h>

#include <csignal>

#include "program.h"

namespace perdure::cli_test {
namespace {

TEST(Demo, EndsWithTenOrdersDoneAndARetryAsOneStep) {
  const TemporaryFolder folder;
  const auto demo =
      perdure({"demo", "--exit", "--json", "--port", "0", "--data", folder.path("d")});
  ASSERT_EQ(demo.code, 0) << demo.error;
  const auto orders = at(demo.json(), "orders");
  ASSERT_EQ(size_of(orders), 10U);
  int retried = 0;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(at(orders, i, "status"), Value("completed"));
    const auto steps = at(orders, i, "steps");
    int charges = 0;
    for (int s = 0; s < static_cast<int>(size_of(steps)); ++s) {
      EXPECT_EQ(at(steps, s, "status"), Value("completed"));
      if (at(steps, s, "node_id") == Value("charge-payment")) ++charges;
      if (at(steps, s, "attempt_count") == Value(3)) {
        ++retried;
        EXPECT_EQ(at(steps, s, "node_id"), Value("charge-payment"));
        EXPECT_EQ(size_of(at(steps, s, "attempts")), 3U);
        EXPECT_EQ(at(steps, s, "attempts", 0, "state"), Value("failed"));
        EXPECT_EQ(at(steps, s, "attempts", 2, "state"), Value("succeeded"));
      }
    }
    EXPECT_EQ(charges, 1) << i;
  }
  EXPECT_EQ(retried, 1);
  EXPECT_EQ(perdure({"check", "--data", folder.path("d")}).code, 0);

  // The file is kept: a second run adds ten.
  const auto again = perdure({"demo", "--exit", "--port", "0", "--data", folder.path("d")});
  EXPECT_EQ(again.code, 0) << again.error;
  EXPECT_NE(again.out.find("Charge payment     completed         3"), std::string::npos)
      << again.out;
  const auto list = perdure({"ps", "--json", "--data", folder.path("d")}).json();
  EXPECT_EQ(size_of(at(list, "items")), 20U);
}

TEST(Demo, ServesUntilItIsStopped) {
  const TemporaryFolder folder;
  Running demo({"demo", "--port", "0", "--data", folder.path("d")});
  EXPECT_NE(demo.line_with("Still serving"), "");
  EXPECT_EQ(perdure({"ps", "--data", folder.path("d")}).code, 0);
  demo.signal(SIGINT);
  EXPECT_EQ(demo.wait(), 0);
}

TEST(Demo, CanBeKilledAndItsOrdersGoOn) {
  const TemporaryFolder folder;
  {
    Running demo({"demo", "--port", "0", "--data", folder.path("d")});
    EXPECT_NE(demo.line_with("Perdure demo"), "");
    demo.signal(SIGKILL);
    EXPECT_EQ(demo.wait(), 128 + SIGKILL);
  }
  EXPECT_EQ(perdure({"demo", "--exit", "--port", "0", "--data", folder.path("d")}).code, 0);
  EXPECT_EQ(perdure({"check", "--data", folder.path("d")}).code, 0);
}

TEST(Demo, TellsOfOrdersThatAreLeftOver) {
  const TemporaryFolder folder;
  const std::string model = std::string(PERDURE_SOURCE_DIR) + "/examples/order-fulfilment.bpmn";
  ASSERT_EQ(perdure({"deploy", model, "--data", folder.path("d")}).code, 0);
  ASSERT_EQ(
      perdure({"start", "order-fulfilment", "--var", "amount=1", "--data", folder.path("d")}).code,
      0);
  const auto demo = perdure({"demo", "--exit", "--port", "0", "--data", folder.path("d")});
  EXPECT_EQ(demo.code, 0) << demo.error;
  EXPECT_NE(demo.out.find("Orders of an earlier run that go on: 1\n"), std::string::npos)
      << demo.out;
}

TEST(Embedded, TheExampleRunsAnOrderAndKeepsIt) {
  const TemporaryFolder folder;
  const std::string model = std::string(PERDURE_SOURCE_DIR) + "/examples/order-fulfilment.bpmn";
  for (int run = 0; run < 2; ++run) { // the second finds the order of the first
    const auto ended = run_program(EMBEDDED_EXAMPLE, {folder.path("orders.db"), model});
    EXPECT_EQ(ended.code, 0) << ended.error;
    EXPECT_EQ(ended.out, "order done: receipt-1\n");
  }
  const auto refused = run_program(EMBEDDED_EXAMPLE, {folder.path("orders.db"), "/no/such.bpmn"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.error.find("/no/such.bpmn"), std::string::npos);
}

} // namespace
} // namespace perdure::cli_test
