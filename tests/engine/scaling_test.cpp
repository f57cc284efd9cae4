// docs/scaling.md says how many rows each element leaves; the engine agrees.
#include <fstream>
#include <map>
#include <sstream>

#include "engine/fixture.h"

namespace perdure::engine {
namespace {

/// Rows by table, in the order of the columns in the text.
using Counts = std::vector<std::int64_t>;

Counts counts_of(const store::InstanceRecord& record) {
  const auto& rows = record.rows;
  const auto size = [](const auto& table) { return static_cast<std::int64_t>(table.size()); };
  return {1,
          size(rows.scopes),
          size(rows.tokens),
          size(rows.steps),
          size(rows.attempts),
          size(rows.external_tasks),
          size(rows.user_tasks),
          size(rows.timers),
          size(rows.joins),
          size(rows.arrivals),
          size(record.history)};
}

Counts operator-(Counts more, const Counts& less) {
  for (std::size_t i = 0; i < more.size(); ++i)
    more[i] -= less[i];
  return more;
}

/// The rows of the text's table by element: `| name | 1 | 2 | ... |`.
std::map<std::string, Counts> table_of(const std::string& path) {
  std::map<std::string, Counts> table;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| ")) continue;
    std::istringstream cells(line.substr(1));
    std::string name;
    std::getline(cells, name, '|');
    Counts counts;
    for (std::string cell; std::getline(cells, cell, '|');) {
      const bool is_number = cell.find_first_not_of(" 0123456789") == std::string::npos &&
                             cell.find_first_not_of(' ') != std::string::npos;
      if (!is_number) break;
      counts.push_back(std::stoll(cell));
    }
    if (counts.size() == 11) table[name.substr(1, name.find_last_not_of(' '))] = counts;
  }
  return table;
}

class Scaling : public EngineTest {
protected:
  /// Rows of an instance that ran to its end through what stands between start and end.
  Counts run_through(
      const std::string& process_id, const std::string& elements,
      const std::function<void(Key)>& act = [](Key) {}) {
    deploy(model(process_id, "<startEvent id=\"Start\"/>" + elements + "<endEvent id=\"End\"/>"));
    const auto id = start(process_id);
    act(id);
    EXPECT_EQ(status(id), facts::InstanceStatus::completed) << process_id;
    return counts_of(record(id));
  }
};

TEST_F(Scaling, TheTextCountsTheRowsOfEachElement) {
  run();
  const auto bare = run_through("bare", flow("Start", "End"));
  std::map<std::string, Counts> counted{{"start and end", bare}};
  counted["service task"] =
      run_through("work", flow("Start", "Work") + service("Work", "work") + flow("Work", "End"),
                  [&](Key) { EXPECT_TRUE(complete(fetch_one("work").task_id)); }) -
      bare;
  counted["user task"] =
      run_through("review",
                  flow("Start", "Review") + "<userTask id=\"Review\"/>" + flow("Review", "End"),
                  [&](Key id) {
                    const auto open = reader().user_tasks({.instance_id = id}, {});
                    ASSERT_EQ(open->size(), 1U);
                    const auto done = ask<Done>([&](auto reply) {
                      CompleteUserTaskCommand command;
                      command.task_id = open->front().id;
                      engine().complete_user_task(command, std::move(reply));
                    });
                    EXPECT_TRUE(done);
                  }) -
      bare;
  counted["timer"] =
      run_through("nap",
                  flow("Start", "Nap") +
                      "<intermediateCatchEvent id=\"Nap\"><timerEventDefinition><timeDuration "
                      "xsi:type=\"tFormalExpression\">PT10S</timeDuration>"
                      "</timerEventDefinition></intermediateCatchEvent>" +
                      flow("Nap", "End"),
                  [&](Key id) {
                    advance(Duration(10'000));
                    watcher().await(id, "instance_completed");
                    settle();
                  }) -
      bare;
  counted["exclusive gateway"] =
      run_through("choice", flow("Start", "Choose") + "<exclusiveGateway id=\"Choose\"/>" +
                                flow("Choose", "End")) -
      bare;
  counted["parallel split and join, two branches"] =
      run_through("both",
                  flow("Start", "Split") + "<parallelGateway id=\"Split\"/>" +
                      "<sequenceFlow id=\"Left\" sourceRef=\"Split\" targetRef=\"Join\"/>" +
                      "<sequenceFlow id=\"Right\" sourceRef=\"Split\" targetRef=\"Join\"/>" +
                      "<parallelGateway id=\"Join\"/>" + flow("Join", "End")) -
      bare;
  EXPECT_EQ(table_of(PERDURE_SOURCE_DIR "/docs/scaling.md"), counted);
}

} // namespace
} // namespace perdure::engine
