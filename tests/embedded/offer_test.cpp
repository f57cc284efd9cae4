// The engine inside a program: what its header promises.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "embedded/fixture.h"
#include "perdure/engine.h"

namespace perdure {
namespace {

constexpr const char* kModel = R"(<definitions
xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="hot" isExecutable="true">
<startEvent id="Hot"><conditionalEventDefinition><condition>= temperature &gt; 30</condition>
</conditionalEventDefinition></startEvent><sequenceFlow id="f" sourceRef="Hot" targetRef="End"/>
<endEvent id="End"/></process></definitions>)";

using Embedded = test::EmbeddedTest;
PERDURE_ON_BOTH(Embedded);

TEST_P(Embedded, WhatIsOfferedBeginsOnce) {
  Engine engine{storage()};
  ASSERT_TRUE(engine.deploy(kModel, "hot.bpmn"));
  const auto none = engine.offer(Object{{"temperature", 1}});
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_TRUE(none->empty());
  EXPECT_FALSE(engine.offer(Value(Array{})));
  const ConditionOptions once{.business_key = "K", .idempotency_key = "k"};
  const auto begun = engine.offer(Object{{"temperature", 31}}, once);
  ASSERT_TRUE(begun) << begun.error().message;
  ASSERT_EQ(begun->size(), 1U);
  EXPECT_EQ(*engine.offer(Object{{"temperature", 31}}, once), *begun);
  // It begins soon: until then nobody knows it.
  auto seen = engine.wait(begun->front());
  while (!seen && seen.error().code == ErrorCode::not_found) {
    std::this_thread::yield();
    seen = engine.wait(begun->front());
  }
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->status, InstanceStatus::completed);
  EXPECT_EQ(*seen->variables.find("temperature"), Value(31));
}

} // namespace
} // namespace perdure
