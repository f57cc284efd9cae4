// What steps give and flows take, as it stands in the rows.
#include <limits>

#include "flows/flow_fixture.h"

namespace perdure::engine {
namespace {

using namespace std::chrono_literals;
using facts::InstanceStatus;
using facts::OutputType;
using testing::ElementsAre;
using testing::HasSubstr;

class ValueTest : public FlowTest {};

TEST_F(ValueTest, NothingAndNullStayApart) {
  host([](Flow& flow) -> Task<std::string> {
    co_await flow.run("nothing", [] {});
    const auto null = co_await flow.run("null", [] { return Value(); });
    const auto none = co_await flow.run("none", [] { return std::optional<Value>(); });
    const auto some = co_await flow.run("some", [] { return std::optional<Value>(Value()); });
    co_return std::string(null.is_null() ? "1" : "0") + (none ? "0" : "1") + (some ? "1" : "0");
  });
  const auto id = rested_flow();
  EXPECT_EQ(output(id), Value("111"));
  EXPECT_EQ(step_of(id, "nothing").output_type, OutputType::none);
  EXPECT_EQ(step_of(id, "none").output_type, OutputType::none);
  EXPECT_EQ(step_of(id, "null").output_type, OutputType::json);
  EXPECT_EQ(step_of(id, "null").output, Value());
  EXPECT_EQ(step_of(id, "some").output_type, OutputType::json);
}

TEST_F(ValueTest, TheyStayApartInTheNextLifeToo) {
  const auto code = [](Flow& flow) -> Task<std::string> {
    const auto null = co_await flow.run("null", [] { return std::optional<Value>(Value()); });
    const auto none = co_await flow.run("none", [] { return std::optional<Value>(); });
    co_await flow.wait("w", "e");
    co_return std::string(null ? "1" : "0") + (none ? "0" : "1");
  };
  host(code);
  const auto id = rested_flow();
  crash();
  host(code);
  send(id, "e");
  rest();
  EXPECT_EQ(output(id), Value("11"));
}

TEST_F(ValueTest, AMegabyteComesThrough) {
  const auto code = [](Flow& flow) -> Task<std::size_t> {
    const auto text = co_await flow.run("big", [] { return std::string(1'048'576, 'x'); });
    co_await flow.wait("w", "e");
    const auto event = co_await flow.wait<std::string>("w2", "big");
    co_return text.size() + event.size();
  };
  host(code);
  const auto id = rested_flow();
  EXPECT_EQ(step_of(id, "big").output, Value(std::string(1'048'576, 'x')));
  crash();
  host(code);
  send(id, "e");
  send(id, "big", Object{{"payload", std::string(1'048'576, 'y')}});
  rest();
  EXPECT_EQ(output(id), Value(2 * 1'048'576));
}

TEST_F(ValueTest, AResultThatHasNoFormIsAFailureThatIsNotRetried) {
  host([](Flow& flow) -> Task<double> {
    co_return co_await flow.run("nan", [] { return std::numeric_limits<double>::quiet_NaN(); });
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_THAT(steps(id), ElementsAre("nan failed 1 BadValue"));
}

TEST_F(ValueTest, SoIsTextThatIsNoUtf8) {
  host([](Flow& flow) -> Task<std::string> {
    co_return co_await flow.run("text", [] {
      return std::string(
          "a\xff\xfe"
          "b");
    });
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_THAT(record(id).rows.instance.end_reason.value_or(""), HasSubstr("BadValue"));
}

TEST_F(ValueTest, AnErrorTextThatIsNoUtf8IsKeptReadable) {
  host([](Flow& flow) -> Task<void> {
    co_await flow.run("call", [] { throw NonRetryable("bad \xff byte", "Odd"); });
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
  EXPECT_THAT(steps(id), ElementsAre("call failed 1 Odd"));
}

TEST_F(ValueTest, AnOutputOfTheFlowThatHasNoFormFailsIt) {
  host([](Flow&) -> Task<double> { co_return std::numeric_limits<double>::infinity(); });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::failed);
}

TEST_F(ValueTest, NamesMayHoldAnyText) {
  host([](Flow& flow) -> Task<void> {
    co_await flow.run("Ünïcödé 'quoted' \"twice\" \n line", [] {});
    co_await flow.run(std::string(2'000, 'n'), [] {});
  });
  const auto id = rested_flow();
  EXPECT_EQ(status_of(id), InstanceStatus::completed);
  EXPECT_EQ(reader().steps(id)->front().slug, "Ünïcödé 'quoted' \"twice\" \n line");
}

TEST_F(ValueTest, AStepWithoutANameParksTheRunOrIsKept) {
  host([](Flow& flow) -> Task<void> { co_await flow.run("", [] {}); });
  const auto id = rested_flow();
  const bool parked = incidents(id).size() == 1;
  EXPECT_TRUE(parked || status_of(id) == InstanceStatus::completed);
}

} // namespace
} // namespace perdure::engine
