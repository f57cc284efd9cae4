// Every order of what can happen from outside, for small models: each that is written here has
// exactly the ends that the standard gives it, and none of its states breaks an invariant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "random/explorer.h"

namespace perdure::random {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> ends_of(const Explored& explored) {
  std::vector<std::string> ends;
  for (const auto& [end, order] : explored.ends)
    ends.push_back(end);
  return ends;
}

/// Explores to the last state. None is stuck, none breaks an invariant.
Explored explore_all(std::string text, std::string variables = "{}",
                     const Surprises& surprises = {}) {
  auto explored = explore({.text = std::move(text), .variables = std::move(variables)}, surprises);
  EXPECT_THAT(explored.problems, IsEmpty());
  EXPECT_TRUE(explored.is_whole);
  for (const auto& [state, order] : explored.stuck)
    ADD_FAILURE() << "stuck after " << order << "\n" << state;
  return explored;
}

TEST(Exhaustive, ForkAndJoin) {
  const auto explored = explore_all(R"(
node start startEvent
node fork parallelGateway
node a serviceTask
node b userTask
node c receiveTask message=m
node join parallelGateway
node end endEvent
flow start fork
flow fork a
flow fork b
flow fork c
flow a join
flow b join
flow c join
flow join end
)");
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, b, c"));
  EXPECT_EQ(explored.states, 8U); // each subset of the three
  EXPECT_EQ(explored.moves, 12U);
}

TEST(Exhaustive, TwoBranchesWithOwnEnds) {
  const auto explored = explore_all(R"(
node start startEvent
node a userTask
node b userTask
node end1 endEvent
node end2 endEvent
flow start a
flow start b
flow a end1
flow b end2
)");
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, b"));
  EXPECT_EQ(explored.states, 4U);
}

TEST(Exhaustive, InclusiveJoinInsideALoop) {
  const auto explored = explore_all(R"(
node start startEvent
node again exclusiveGateway
node split inclusiveGateway
node a userTask
node b userTask
node c userTask
node join inclusiveGateway
node count scriptTask set n = n + 1
node more exclusiveGateway
node end endEvent
flow start again
flow again split
flow split a if n = 0
flow split b if true
flow split c if n > 0
flow a join
flow b join
flow c join
flow join count
flow count more
flow more again if n < 2
flow more end default
)",
                                    R"({"n": 0})");
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, b, b, c, count, count"));
  EXPECT_EQ(explored.states, 7U); // {}, a, b, then the same of b and c, and the end
}

TEST(Exhaustive, InclusiveJoinWaitsForABranchThatLoops) {
  const auto explored = explore_all(R"(
node start startEvent
node fork parallelGateway
node again exclusiveGateway
node a userTask
node count scriptTask set n = n + 1
node more exclusiveGateway
node b userTask
node join inclusiveGateway
node after userTask
flow start fork
flow fork again
flow fork b
flow again a
flow a count
flow count more
flow more again if n < 3
flow more join default
flow b join
flow join after
)",
                                    R"({"n": 0})");
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, a, a, after, b, count, count, count"));
}

TEST(Exhaustive, InclusiveJoinWhoseTokenDiesElsewhere) {
  const auto explored = explore_all(R"(
node start startEvent
node fork parallelGateway
node a userTask
node b serviceTask
node lost boundaryEvent on b error=E
node gone endEvent
node join inclusiveGateway
node after userTask
flow start fork
flow fork a
flow fork b
flow a join
flow b join
flow lost gone
flow join after
)",
                                    "{}", {.errors = {"E"}});
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, after", "completed: a, after, b"));
}

TEST(Exhaustive, TheSameFlowTwiceAtAnInclusiveJoin) {
  const auto explored = explore_all(R"(
node start startEvent
node fork parallelGateway
node a userTask
node b userTask
node merge exclusiveGateway
node c userTask
node join inclusiveGateway
node after task
flow start fork
flow fork a
flow fork b
flow fork c
flow a merge
flow b merge
flow merge join
flow c join
flow join after
)");
  // The second token of one flow is a gathering of its own, however they come.
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, after, after, b, c"));
}

TEST(Exhaustive, BoundaryEventsAgainstTheTask) {
  const auto explored = explore_all(R"(
node start startEvent
node a userTask
node once boundaryEvent on a beside timer=PT5S
node x userTask
node late boundaryEvent on a timer=PT10S
node y userTask
flow start a
flow once x
flow late y
)");
  EXPECT_THAT(ends_of(explored),
              ElementsAre("completed: a", "completed: a, x", "completed: x, y", "completed: y"));
}

TEST(Exhaustive, BoundaryErrorAndEscalation) {
  const auto explored = explore_all(R"(
node start startEvent
node a serviceTask
node bad boundaryEvent on a error=E
node warn boundaryEvent on a escalation=W
node x task
node y task
flow start a
flow bad x
flow warn y
)",
                                    "{}", {.errors = {"E"}, .escalations = {"W"}});
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a", "completed: x", "completed: y"));
}

TEST(Exhaustive, EventSubProcesses) {
  const auto explored = explore_all(R"(
node start startEvent
node sub subProcess
node begin startEvent in sub
node a userTask in sub
node beside eventSubProcess in sub
node tick startEvent in beside beside timer=PT5S
node r userTask in beside
node around eventSubProcess in sub
node stop startEvent in around message=stop
node s userTask in around
node after task
flow start sub
flow begin a
flow tick r
flow stop s
flow sub after
)");
  EXPECT_THAT(ends_of(explored),
              ElementsAre("completed: a, after", "completed: a, after, r", "completed: a, after, s",
                          "completed: after, r, s", "completed: after, s"));
}

TEST(Exhaustive, NestedMultiInstances) {
  const auto explored = explore_all(R"(
node start startEvent
node sub subProcess times=2
node begin startEvent in sub
node u userTask in sub times=2
flow start sub
flow begin u
)");
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: u, u, u, u"));
  EXPECT_EQ(explored.states, 16U); // each subset of the four
}

TEST(Exhaustive, MultiInstanceAgainstItsBoundary) {
  const auto explored = explore_all(R"(
node start startEvent
node u userTask times=3
node late boundaryEvent on u timer=PT5S
node y task
flow start u
flow late y
)");
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: u, u, u", "completed: u, u, y",
                                             "completed: u, y", "completed: y"));
}

TEST(Exhaustive, Compensation) {
  const auto explored = explore_all(R"(
node start startEvent
node fork parallelGateway
node a userTask
node b userTask
node ua userTask undoes
node ub userTask undoes
node ca boundaryEvent on a compensation by ua
node cb boundaryEvent on b compensation by ub
node join parallelGateway
node c serviceTask
node bad boundaryEvent on c error=E
node undo endEvent compensation
flow start fork
flow fork a
flow fork b
flow a join
flow b join
flow join c
flow bad undo
)",
                                    "{}", {.errors = {"E"}});
  EXPECT_THAT(ends_of(explored),
              ElementsAre("completed: a, b, c", "completed: a, b, ua, ub, undo"));
}

TEST(Exhaustive, Transaction) {
  const auto explored = explore_all(R"(
node start startEvent
node pay transaction
node begin startEvent in pay
node a userTask in pay
node ua userTask in pay undoes
node ca boundaryEvent on a compensation by ua
node c serviceTask in pay
node which eventBasedGateway in pay
node yes intermediateCatchEvent in pay message=yes
node no intermediateCatchEvent in pay message=no
node done endEvent in pay
node back endEvent in pay cancel
node cancelled boundaryEvent on pay cancel
node failed boundaryEvent on pay error=E
node x task
node y task
node z task
flow start pay
flow begin a
flow a c
flow c which
flow which yes
flow which no
flow yes done
flow no back
flow cancelled x
flow failed y
flow pay z
)",
                                    "{}", {.errors = {"E"}});
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, c, no, ua, x",
                                             "completed: a, c, yes, z", "completed: a, y"));
}

TEST(Exhaustive, EventBasedGateway) {
  const auto explored = explore_all(R"(
node start startEvent
node which eventBasedGateway
node m intermediateCatchEvent message=m
node s intermediateCatchEvent signal=s
node t intermediateCatchEvent timer=PT5S
node a task
node b task
node c task
flow start which
flow which m
flow which s
flow which t
flow m a
flow s b
flow t c
)");
  EXPECT_EQ(explored.ends.size(), 3U);
  EXPECT_EQ(explored.states, 4U);
}

TEST(Exhaustive, OneSignalForAll) {
  const auto explored = explore_all(R"(
node start startEvent
node a intermediateCatchEvent signal=go
node b intermediateCatchEvent signal=go
node c userTask
node stop boundaryEvent on c signal=go
flow start a
flow start b
flow start c
)");
  // Either the task was done before or the signal took it: the two that wait always go together.
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, b", "completed: a, b, c"));
  EXPECT_EQ(explored.states, 4U);
}

TEST(Exhaustive, TerminateAgainstWork) {
  const auto explored = explore_all(R"(
node start startEvent
node sub subProcess
node begin startEvent in sub
node a userTask in sub
node b userTask in sub
node all endEvent in sub terminate
node after task
flow start sub
flow begin a
flow begin b
flow b all
flow sub after
)");
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, after, b", "completed: after, b"));
}

TEST(Exhaustive, ErrorEndAgainstWork) {
  const auto explored = explore_all(R"(
node start startEvent
node sub subProcess
node begin startEvent in sub
node a userTask in sub
node b userTask in sub
node bad endEvent in sub error=E
node caught boundaryEvent on sub error
node x task
node after task
flow start sub
flow begin a
flow begin b
flow b bad
flow caught x
flow sub after
)");
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, b, x", "completed: b, x"));
}

TEST(Exhaustive, ComplexGateway) {
  const auto explored = explore_all(R"(
node start startEvent
node fork parallelGateway
node a userTask
node b userTask
node c userTask
node join complexGateway starts==activationCount>=2
node after task
flow start fork
flow fork a
flow fork b
flow fork c
flow a join
flow b join
flow c join
flow join after
)");
  // Once, after two of them; the third is swallowed.
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, after, b, c"));
}

TEST(Exhaustive, Call) {
  const auto explored = explore_all(R"(
node start startEvent
node call callActivity calls=other
node bad boundaryEvent on call error=E
node late boundaryEvent on call timer=PT5S
node x task
node y task
flow start call
flow bad x
flow late y
)",
                                    "{}", {.errors = {"E"}});
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: call", "completed: x", "completed: y"));
}

TEST(Exhaustive, Conditions) {
  const auto explored =
      explore_all(R"(
node start startEvent
node a userTask
node warm boundaryEvent on a conditional==t>20
node x task
flow start a
flow warm x
)",
                  R"({"t": 0})", {.settings = {Object{{"t", 30}}, Object{{"t", 10}}}});
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a", "completed: x"));
}

TEST(Exhaustive, AllOfSeveralEvents) {
  const auto explored = explore_all(R"(
node start startEvent
node all intermediateCatchEvent message=m signal=s timer=PT5S all
node any intermediateCatchEvent message=m signal=s
flow start all
flow all any
)");
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: all, any"));
  EXPECT_EQ(explored.states, 9U); // each subset of the three, and the end
}

TEST(Exhaustive, AdHocActivities) {
  const auto explored = explore_all(R"(
node start startEvent
node some adHocSubProcess begin==["a","b"]
node a userTask in some
node b userTask in some
node c userTask in some
node after task
flow start some
flow b c
flow some after
)");
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, after, b, c"));
}

TEST(Exhaustive, FailuresLeaveAnIncidentThatARetryMends) {
  const auto explored = explore({.text = R"(
node start startEvent
node a serviceTask retries=1
node b serviceTask retries=1
node join parallelGateway
flow start a
flow start b
flow a join
flow b join
)",
                                 .variables = "{}"},
                                {.fails = true});
  EXPECT_THAT(explored.problems, IsEmpty());
  EXPECT_TRUE(explored.is_whole);
  EXPECT_THAT(ends_of(explored), ElementsAre("completed: a, b"));
  EXPECT_FALSE(explored.stuck.empty()); // both failed: only an operator can go on
}

} // namespace
} // namespace perdure::random
