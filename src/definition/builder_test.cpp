// The builder: ids resolved, order kept, reachability, and every rule of a sound model with its
// code.
#include "definition/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace perdure::definition {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A process in few words; every element gets the next line as its place.
class Model {
public:
  NodeIndex node(NodeKind kind, std::string id, ScopeIndex scope = kRootScope) {
    return builder_.add_node(make(kind, std::move(id), scope));
  }
  NodeIndex refused(std::string id, ScopeIndex scope = kRootScope) {
    return builder_.add_refused_node(make(NodeKind::undefined_task, std::move(id), scope));
  }
  void flow(std::string id, std::string source, std::string target, bool conditional = false) {
    Flow flow;
    flow.id = std::move(id);
    flow.place = {++line_, 1};
    if (conditional) flow.condition.emplace();
    builder_.add_flow(std::move(flow), std::move(source), std::move(target));
  }
  /// start -> ids... -> end, with flows start_a, a_b, b_end.
  void chain(const std::vector<std::string>& ids) {
    for (std::size_t i = 1; i < ids.size(); ++i) {
      flow(ids[i - 1] + "_" + ids[i], ids[i - 1], ids[i]);
    }
  }
  Builder& builder() { return builder_; }
  auto build() { return std::move(builder_).build(); }

  /// "code line id", in the order reported.
  std::vector<std::string> problems() {
    Report report;
    const auto definition = std::move(builder_).build(report);
    std::vector<std::string> texts;
    for (const auto& found : std::move(report).take("m.bpmn")) {
      texts.push_back(found.code + " " + std::to_string(found.line) + " " + found.element_id);
      EXPECT_EQ(found.file, "m.bpmn");
      EXPECT_TRUE(found.message.ends_with('.')) << found.message;
    }
    built_ = definition != nullptr;
    return texts;
  }
  [[nodiscard]] bool built() const { return built_; }

private:
  Node make(NodeKind kind, std::string id, ScopeIndex scope) {
    Node node;
    node.id = std::move(id);
    node.kind = kind;
    node.scope = scope;
    node.place = {++line_, 1};
    if (kind == NodeKind::service_task) node.worker.emplace().type.text = "work";
    if (kind == NodeKind::script_task) node.script.emplace();
    if (kind == NodeKind::catch_event) {
      auto& event = node.events.emplace_back();
      event.kind = EventKind::timer;
      event.timer.emplace().when.text = "PT1S";
    }
    return node;
  }

  Builder builder_{"order", "Order", "v1", {1, 1}};
  int line_ = 1;
  bool built_ = false;
};

TEST(Builder, KeepsDocumentOrderAndResolvesIds) {
  Model model;
  model.node(NodeKind::start_event, "start");
  const auto split = model.node(NodeKind::exclusive_gateway, "split");
  model.node(NodeKind::undefined_task, "a");
  model.node(NodeKind::undefined_task, "b");
  model.flow("start_split", "start", "split");
  model.flow("to_b", "split", "b");
  model.flow("to_a", "split", "a", true);
  model.builder().set_default_flow(split, "to_b");
  const auto built = model.build();
  ASSERT_TRUE(built.has_value());
  const auto& definition = **built;
  EXPECT_EQ(definition.process_id(), "order");
  EXPECT_EQ(definition.name(), "Order");
  EXPECT_EQ(definition.version_tag(), "v1");
  const auto to_a = definition.find_flow("to_a");
  const auto to_b = definition.find_flow("to_b");
  EXPECT_THAT(definition.node(split).outgoing, ElementsAre(to_b, to_a));
  EXPECT_EQ(definition.node(split).default_flow, to_b);
  EXPECT_EQ(definition.flow(to_a).source, split);
  EXPECT_EQ(definition.flow(to_a).target, definition.find_node("a"));
  EXPECT_THAT(definition.node(definition.find_node("a")).incoming, ElementsAre(to_a));
  EXPECT_THAT(definition.scope(kRootScope).nodes, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(definition.scope(kRootScope).starts, ElementsAre(definition.find_node("start")));
  EXPECT_EQ(definition.find_node("to_a"), kNone);
  EXPECT_EQ(definition.find_flow("nothing"), kNone);
}

TEST(Builder, WithoutStartEventNodesWithoutIncomingFlowStart) {
  Model model;
  model.node(NodeKind::undefined_task, "a");
  model.node(NodeKind::undefined_task, "b");
  model.node(NodeKind::parallel_gateway, "join");
  model.chain({"a", "join"});
  model.chain({"b", "join"});
  const auto built = model.build();
  ASSERT_TRUE(built.has_value());
  EXPECT_THAT((*built)->scope(kRootScope).starts, ElementsAre(0, 1));
}

TEST(Reach, FollowsFlowsThroughLoopsAndPastSubProcesses) {
  Model model;
  model.node(NodeKind::start_event, "start");
  model.node(NodeKind::exclusive_gateway, "again");
  const auto sub = model.node(NodeKind::sub_process, "sub");
  const auto inside = model.builder().add_scope(sub, kRootScope);
  model.node(NodeKind::undefined_task, "inner", inside);
  model.node(NodeKind::undefined_task, "inner2", inside);
  model.node(NodeKind::exclusive_gateway, "decide");
  model.node(NodeKind::end_event, "end");
  model.chain({"start", "again", "sub", "decide"});
  model.chain({"inner", "inner2"});
  model.flow("back", "decide", "again", true);
  model.flow("on", "decide", "end");
  model.builder().set_default_flow(5, "on");
  const auto built = model.build();
  ASSERT_TRUE(built.has_value());
  const auto& definition = **built;
  const auto reaches = [&](const char* node, const char* flow) {
    return definition.reaches(definition.find_node(node), definition.find_flow(flow));
  };
  EXPECT_TRUE(reaches("start", "on"));
  EXPECT_TRUE(reaches("sub", "sub_decide"));
  EXPECT_TRUE(reaches("sub", "again_sub")); // by way of the loop
  EXPECT_TRUE(reaches("decide", "back"));
  EXPECT_FALSE(reaches("again", "start_again"));
  EXPECT_FALSE(reaches("end", "on"));
  EXPECT_FALSE(reaches("sub", "inner_inner2")); // another scope
  EXPECT_FALSE(reaches("inner", "sub_decide"));
  EXPECT_TRUE(reaches("inner", "inner_inner2"));
  EXPECT_EQ(definition.node(sub).inner_scope, inside);
  EXPECT_EQ(definition.scope(inside).owner, sub);
  EXPECT_EQ(definition.scope(inside).parent, kRootScope);
  EXPECT_THAT(definition.scope(inside).starts, ElementsAre(definition.find_node("inner")));
}

TEST(Reach, RowsWiderThanOneWord) {
  Model model;
  model.node(NodeKind::start_event, "n0");
  std::vector<std::string> ids = {"n0"};
  for (int i = 1; i <= 150; ++i) {
    ids.push_back("n" + std::to_string(i));
    model.node(NodeKind::undefined_task, ids.back());
  }
  model.chain(ids);
  const auto built = model.build();
  ASSERT_TRUE(built.has_value());
  for (NodeIndex node = 0; node <= 150; ++node) {
    for (FlowIndex flow = 0; flow < 150; ++flow) {
      ASSERT_EQ((*built)->reaches(node, flow), flow >= node) << node << " " << flow;
    }
  }
}

TEST(BuilderRules, DuplicateIds) {
  Model model;
  model.node(NodeKind::start_event, "start");    // 2
  model.node(NodeKind::undefined_task, "start"); // 3
  model.node(NodeKind::undefined_task, "a");     // 4
  model.flow("a", "start", "a");                 // 5
  EXPECT_THAT(model.problems(), ElementsAre("duplicate_id 3 start", "duplicate_id 5 a"));
  EXPECT_FALSE(model.built());
}

TEST(BuilderRules, FlowEnds) {
  Model model;
  model.node(NodeKind::start_event, "start");                // 2
  const auto sub = model.node(NodeKind::sub_process, "sub"); // 3
  const auto inside = model.builder().add_scope(sub, kRootScope);
  model.node(NodeKind::undefined_task, "inner", inside); // 4
  model.flow("no_source", "", "sub");                    // 5
  model.flow("no_target", "start", "");                  // 6
  model.flow("ghost", "start", "nobody");                // 7
  model.flow("cross", "start", "inner");                 // 8
  EXPECT_THAT(model.problems(),
              ElementsAre("missing_flow_end 5 no_source", "missing_flow_end 6 no_target",
                          "unknown_flow_end 7 ghost", "flow_crosses_scope 8 cross"));
}

TEST(BuilderRules, FlowsAtStartAndEnd) {
  Model model;
  model.node(NodeKind::start_event, "start"); // 2
  model.node(NodeKind::undefined_task, "a");  // 3
  model.node(NodeKind::end_event, "end");     // 4
  model.node(NodeKind::end_event, "stop");    // 5
  model.chain({"start", "a", "end"});         // 6 7
  model.flow("into_start", "a", "start");     // 8
  model.flow("out_of_end", "end", "a");       // 9
  model.flow("a_stop", "a", "stop");          // 10
  model.flow("out_of_stop", "stop", "a");     // 11
  EXPECT_THAT(model.problems(), ElementsAre("flow_into_start_event 8 into_start",
                                            "flow_out_of_end_event 9 out_of_end",
                                            "flow_out_of_end_event 11 out_of_stop"));
}

TEST(BuilderRules, Defaults) {
  Model model;
  const auto start = model.node(NodeKind::start_event, "start"); // 2
  const auto a = model.node(NodeKind::undefined_task, "a");      // 3
  const auto b = model.node(NodeKind::undefined_task, "b");      // 4
  model.flow("start_a", "start", "a");                           // 5
  model.flow("a_b", "a", "b", true);                             // 6
  model.builder().set_default_flow(start, "start_a");
  model.builder().set_default_flow(a, "a_b");
  model.builder().set_default_flow(b, "start_a");
  EXPECT_THAT(model.problems(),
              ElementsAre("default_not_allowed 2 start", "unknown_default_flow 4 b",
                          "condition_on_default_flow 6 a_b"));
}

TEST(BuilderRules, Conditions) {
  Model model;
  model.node(NodeKind::start_event, "start");        // 2
  model.node(NodeKind::parallel_gateway, "fork");    // 3
  model.node(NodeKind::exclusive_gateway, "decide"); // 4
  model.node(NodeKind::exclusive_gateway, "merge");  // 5
  model.node(NodeKind::undefined_task, "a");         // 6
  model.flow("start_fork", "start", "fork", true);   // 7
  model.flow("fork_decide", "fork", "decide", true); // 8
  model.flow("yes", "decide", "merge", true);        // 9
  model.flow("no", "decide", "a");                   // 10
  model.flow("merge_a", "merge", "a");               // 11: one way out needs no condition
  EXPECT_THAT(model.problems(),
              ElementsAre("condition_not_allowed 7 start_fork",
                          "condition_not_allowed 8 fork_decide", "missing_condition 10 no"));
}

TEST(BuilderRules, Starts) {
  Model model;
  model.node(NodeKind::start_event, "start");                // 2
  model.node(NodeKind::start_event, "second");               // 3
  const auto sub = model.node(NodeKind::sub_process, "sub"); // 4
  const auto hollow = model.builder().add_scope(sub, kRootScope);
  const auto around = model.node(NodeKind::event_sub_process, "around", hollow); // 5
  model.builder().add_scope(around, hollow);
  model.chain({"start", "sub"});
  EXPECT_THAT(model.problems(), ElementsAre("no_start 4 sub", "bad_event_sub_process 5 around"));

  Model inside;
  inside.node(NodeKind::start_event, "start");                  // 2
  const auto part = inside.node(NodeKind::sub_process, "part"); // 3
  const auto scope = inside.builder().add_scope(part, kRootScope);
  inside.node(NodeKind::start_event, "one", scope);   // 4
  inside.node(NodeKind::start_event, "other", scope); // 5
  inside.chain({"start", "part"});
  EXPECT_THAT(inside.problems(), ElementsAre("several_start_events 5 other"));

  Model circle;
  circle.node(NodeKind::undefined_task, "a");
  circle.node(NodeKind::undefined_task, "b");
  circle.chain({"a", "b", "a"});
  EXPECT_THAT(circle.problems(), ElementsAre("no_start 1 order"));

  Model empty;
  EXPECT_THAT(empty.problems(), ElementsAre("no_start 1 order"));
}

TEST(BuilderRules, AJoinThatWaitsForItselfNeverFires) {
  Model model;
  model.node(NodeKind::start_event, "start");     // 2
  model.node(NodeKind::parallel_gateway, "join"); // 3
  model.node(NodeKind::undefined_task, "again");  // 4
  model.chain({"start", "join", "again", "join"});
  EXPECT_THAT(model.problems(), ElementsAre("join_never_fires 3 join"));
}

TEST(BuilderRules, SpecsMustBeThere) {
  Model model;
  const auto service = model.node(NodeKind::service_task, "service"); // 2
  const auto script = model.node(NodeKind::script_task, "script");    // 3
  const auto timer = model.node(NodeKind::catch_event, "timer");      // 4
  model.builder().node(service).worker->type.text.clear();
  model.builder().node(script).script.reset();
  model.builder().node(timer).events.front().timer.reset();
  EXPECT_THAT(model.problems(), ElementsAre("missing_worker_type 2 service",
                                            "missing_script 3 script", "missing_timer 4 timer"));
}

TEST(BuilderRules, UnreachableIsAWarning) {
  Model model;
  model.node(NodeKind::start_event, "start");    // 2
  model.node(NodeKind::undefined_task, "a");     // 3
  model.node(NodeKind::undefined_task, "alone"); // 4
  model.node(NodeKind::undefined_task, "next");  // 5
  model.chain({"start", "a"});
  model.chain({"alone", "next"});
  EXPECT_THAT(model.problems(), ElementsAre("unreachable_node 4 alone", "unreachable_node 5 next"));
  EXPECT_TRUE(model.built());
}

TEST(BuilderRules, RefusedNodesCauseNothingFurther) {
  Model model;
  model.node(NodeKind::start_event, "start");
  model.refused("odd");
  model.node(NodeKind::undefined_task, "after");
  model.refused("boundary");
  model.node(NodeKind::undefined_task, "handler");
  model.chain({"start", "odd", "after"});
  model.flow("f", "boundary", "handler", true);
  EXPECT_THAT(model.problems(), IsEmpty());
  EXPECT_FALSE(model.built());
}

TEST(BuilderRules, TooLarge) {
  Model model;
  for (std::size_t i = 0; i <= Builder::kMaxNodes; ++i) {
    model.node(NodeKind::undefined_task, "n" + std::to_string(i));
  }
  EXPECT_THAT(model.problems(), ElementsAre("process_too_large 1 order"));
}

TEST(BuilderRules, LargeProcessBuilds) {
  constexpr std::size_t kNodes = Builder::kMaxNodes / 4;
  Model model;
  model.node(NodeKind::start_event, "n0");
  for (std::size_t i = 1; i < kNodes; ++i) {
    const auto id = "n" + std::to_string(i);
    model.node(NodeKind::undefined_task, id);
    model.flow("f" + std::to_string(i), "n" + std::to_string(i - 1), id);
    model.flow("g" + std::to_string(i), id, "n" + std::to_string(i));
  }
  const auto built = model.build();
  ASSERT_TRUE(built.has_value());
  EXPECT_TRUE((*built)->reaches(0, static_cast<FlowIndex>(2 * (kNodes - 1) - 1)));
}

TEST(Builder, FailureGivesTheDiagnostics) {
  Model model;
  const auto built = model.build();
  ASSERT_FALSE(built.has_value());
  ASSERT_EQ(built.error().size(), 1U);
  EXPECT_EQ(built.error()[0].code, "no_start");
}

} // namespace
} // namespace perdure::definition
