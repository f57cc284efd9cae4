#include "cluster/verdict.h"

#include <gtest/gtest.h>

#include <string>

namespace perdure::cluster_test {

void expect_everything_once(Effects& watcher, const Load& load, int instances) {
  const auto none = [&](const std::string& what, const std::string& question) {
    EXPECT_EQ(watcher.value("SELECT count(*) FROM " + question), "0") << what;
  };
  const auto all = [&](const std::string& question, int count) {
    EXPECT_EQ(watcher.value("SELECT count(*) FROM " + question), std::to_string(count)) << question;
  };
  all("perdure.process_instance WHERE status = 'completed'", instances);
  all("perdure.process_instance", instances);
  all("(SELECT DISTINCT business_key FROM perdure.process_instance) AS orders", instances);
  all("perdure.timer WHERE status = 'fired'", instances);
  all("perdure.timer", instances);
  all("perdure.external_task WHERE state = 'completed'", 3 * instances);
  all("perdure.external_task", 3 * instances);
  all("(SELECT DISTINCT instance_id, node_id FROM perdure.external_task) AS places", 3 * instances);
  all("effects.effect", 3 * instances);
  none("an effect is not that of the attempt which the engine took",
       "effects.effect AS effect WHERE NOT EXISTS (SELECT 1 FROM perdure.external_task AS task "
       "JOIN perdure.step_attempt AS attempt ON attempt.instance_id = task.instance_id "
       "AND attempt.step_id = task.step_id WHERE task.id = effect.task_id "
       "AND task.node_id = effect.node_id AND attempt.state = 'succeeded' "
       "AND attempt.number = effect.attempt AND attempt.worker_id = effect.worker_id)");
  none("attempts of a step are not 1, 2, 3, ... with the last one succeeded",
       "(SELECT 1 FROM perdure.step_attempt GROUP BY instance_id, step_id "
       "HAVING max(number) <> count(*) OR min(number) <> 1 "
       "OR sum((state = 'succeeded')::int) <> 1 "
       "OR max(number) FILTER (WHERE state = 'succeeded') <> max(number)) AS steps");
  none("an incident is open", "perdure.incident");
  const auto known = load.instances();
  EXPECT_EQ(std::ssize(known), instances);
  const auto rows = watcher.rows("SELECT business_key, id FROM perdure.process_instance");
  ASSERT_TRUE(rows) << rows.error().message;
  for (const auto& row : *rows) {
    const auto found = known.find(row[0]);
    EXPECT_TRUE(found != known.end() && found->second == row[1])
        << row[0] << " was not acknowledged as instance " << row[1];
  }
}

} // namespace perdure::cluster_test
