// Callers at four nodes want the same thing at the same moment. One of them gets it, the others
// hear who did, and nobody ever hears of a race: no answer asks to come again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <functional>
#include <map>
#include <thread>

#include "cluster/client.h"
#include "cluster/cluster.h"

namespace perdure::cluster_test {
namespace {

using cli_test::at;
using cli_test::size_of;
using cli_test::text_at;
using testing::ElementsAre;

constexpr std::size_t kNodes = 4;

class RaceTest : public ClusterTest {
protected:
  RaceTest() : ClusterTest(kNodes) {}

  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped()) return;
    rows_ = std::make_unique<Effects>(postgres().url());
    start_nodes();
    for (const auto& node : nodes_)
      clients_.emplace_back(node->url());
    ASSERT_NO_FATAL_FAILURE(deploy(cli_test::ask_model()));
  }

  void TearDown() override {
    if (IsSkipped()) return;
    clients_.clear();
    stop_nodes();
    expect_no_bugs();
    expect_clean(postgres().url());
    nodes_.clear();
  }

  /// All nodes at the same moment; their answers.
  std::vector<Reply> at_once(const std::function<Reply(std::size_t, Client&)>& ask) {
    std::vector<Reply> replies(kNodes);
    std::barrier together(static_cast<std::ptrdiff_t>(kNodes));
    std::vector<std::jthread> callers;
    for (std::size_t i = 0; i < kNodes; ++i) {
      callers.emplace_back([&, i] {
        together.arrive_and_wait();
        replies[i] = ask(i, clients_[i]);
      });
    }
    callers.clear();
    return replies;
  }

  static std::vector<int> statuses(const std::vector<Reply>& replies) {
    std::vector<int> all;
    for (const auto& reply : replies)
      all.push_back(reply.status);
    std::ranges::sort(all);
    return all;
  }

  std::string count(const std::string& question) {
    return rows_->value("SELECT count(*) FROM perdure." + question);
  }

  std::vector<Value> fetch(Client& client, const std::string& worker, const std::string& type,
                           int most) {
    const auto reply =
        client.post("/external-tasks/fetch-and-lock", Object{{"worker_id", worker},
                                                             {"task_types", Array{type}},
                                                             {"max_tasks", most},
                                                             {"lock_duration_ms", 60'000},
                                                             {"wait_ms", 1'000}});
    EXPECT_EQ(reply.status, 200);
    const auto tasks = at(reply.body, "tasks");
    const auto* list = tasks.as<Array>();
    return list ? std::vector<Value>(list->begin(), list->end()) : std::vector<Value>();
  }

  std::int64_t conflicts() {
    std::int64_t sum = 0;
    for (auto& client : clients_)
      sum += client.figure("perdure_conflicts_total");
    return sum;
  }

  std::unique_ptr<Effects> rows_;
  std::vector<Client> clients_;
};

TEST_F(RaceTest, OneIdempotencyKeyIsOneInstance) {
  for (int round = 0; round < 30; ++round) {
    const auto key = "key-" + std::to_string(round);
    const auto replies = at_once([&](std::size_t, Client& client) {
      return client.post("/process-instances",
                         Object{{"process_def_id", "ask"}, {"business_key", key}}, key);
    });
    EXPECT_THAT(statuses(replies), ElementsAre(200, 200, 200, 201)) << key;
    for (const auto& reply : replies) {
      EXPECT_EQ(text_at(at(reply.body, "id")), text_at(at(replies.front().body, "id")));
      EXPECT_EQ(reply.replayed, reply.status == 200);
    }
    EXPECT_EQ(count("process_instance WHERE business_key = '" + key + "'"), "1");
  }
}

TEST_F(RaceTest, OneIdempotencyKeyIsOneRequest) {
  for (int round = 0; round < 10; ++round) {
    const auto key = "key-" + std::to_string(round);
    const auto replies = at_once([&](std::size_t i, Client& client) {
      return client.post("/process-instances",
                         Object{{"process_def_id", "ask"}, {"business_key", std::to_string(i)}},
                         key);
    });
    EXPECT_THAT(statuses(replies), ElementsAre(201, 422, 422, 422)) << key;
  }
  EXPECT_EQ(count("process_instance"), "10");
}

TEST_F(RaceTest, OneBusinessKeyIsOneInstance) {
  for (int round = 0; round < 30; ++round) {
    const auto key = "key-" + std::to_string(round);
    const auto replies = at_once([&](std::size_t, Client& client) {
      return client.post(
          "/process-instances",
          Object{{"process_def_id", "ask"}, {"business_key", key}, {"unique_business_key", true}});
    });
    EXPECT_THAT(statuses(replies), ElementsAre(201, 409, 409, 409)) << key;
    const auto id =
        rows_->value("SELECT id FROM perdure.process_instance WHERE business_key = '" + key + "'");
    for (const auto& reply : replies) {
      if (reply.status == 201) {
        EXPECT_EQ(text_at(at(reply.body, "id")), id);
      } else {
        EXPECT_EQ(reply.violation, "BusinessKeyTaken");
        EXPECT_EQ(text_at(at(reply.body, "existing_instance_id")), id);
      }
    }
  }
}

TEST_F(RaceTest, OneCompletionIsTaken) {
  for (int round = 0; round < 20; ++round) {
    const auto id = clients_[0].start("ask");
    const auto tasks = fetch(clients_[1], "w", "payment", 1);
    ASSERT_EQ(tasks.size(), 1U);
    const auto replies = at_once([&](std::size_t i, Client& client) {
      return client.post(
          "/external-tasks/" + text_at(at(tasks[0], "id")) + "/complete",
          Object{{"worker_id", "w"}, {"variables", Object{{"winner", static_cast<int>(i)}}}});
    });
    EXPECT_THAT(statuses(replies), ElementsAre(200, 409, 409, 409));
    for (std::size_t i = 0; i < kNodes; ++i) {
      if (replies[i].status == 409) {
        EXPECT_EQ(replies[i].violation, "TokenFinalizedTwice");
      } else {
        EXPECT_EQ(rows_->value("SELECT result->>'winner' FROM perdure.step_attempt WHERE "
                               "instance_id = " +
                               id),
                  std::to_string(i));
      }
    }
    EXPECT_EQ(count("user_task WHERE instance_id = " + id), "1");
  }
}

/// As many tasks of one instance as there is room for at the same time.
std::string wide_model(int branches) {
  std::string text = R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
             xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="test">
<process id="wide" isExecutable="true">
<startEvent id="begin"/><parallelGateway id="fork"/><parallelGateway id="join"/><endEvent id="end"/>
<sequenceFlow id="in" sourceRef="begin" targetRef="fork"/>
<sequenceFlow id="out" sourceRef="join" targetRef="end"/>
)";
  for (int i = 0; i < branches; ++i) {
    const auto id = "task" + std::to_string(i);
    text += "<serviceTask id=\"" + id +
            "\"><extensionElements><zeebe:taskDefinition type=\"work\"/></extensionElements>"
            "</serviceTask>\n<sequenceFlow id=\"to_" +
            id + "\" sourceRef=\"fork\" targetRef=\"" + id + "\"/>\n<sequenceFlow id=\"from_" + id +
            "\" sourceRef=\"" + id + "\" targetRef=\"join\"/>\n";
  }
  return text + "</process></definitions>\n";
}

TEST_F(RaceTest, ManyCallersOnOneInstanceAllHaveTheirWay) {
  constexpr int kBranches = 240;
  ASSERT_NO_FATAL_FAILURE(deploy(wide_model(kBranches)));
  const auto id = clients_[0].start("wide");
  std::map<int, int> answers;
  std::mutex mutex;
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < 2 * kNodes; ++i) {
      workers.emplace_back([&, i] {
        Client client(nodes_[i % kNodes]->url());
        const auto worker = "worker-" + std::to_string(i);
        for (;;) {
          const auto tasks = fetch(client, worker, "work", 3);
          if (tasks.empty()) return;
          for (const auto& task : tasks) {
            const auto path = "/external-tasks/" + text_at(at(task, "id"));
            const Object extend{{"worker_id", worker}, {"lock_duration_ms", 90'000}};
            const auto extended = client.post(path + "/extend-lock", extend);
            const auto done = client.post(path + "/complete", Object{{"worker_id", worker}});
            const std::lock_guard lock(mutex);
            ++answers[extended.status];
            ++answers[done.status];
          }
        }
      });
    }
  }
  EXPECT_THAT(answers, ElementsAre(std::pair(200, 2 * kBranches)));
  EXPECT_EQ(count("process_instance WHERE status = 'completed' AND id = " + id), "1");
  EXPECT_EQ(count("step_attempt WHERE state = 'succeeded' AND number = 1 AND instance_id = " + id),
            std::to_string(kBranches));
  EXPECT_EQ(count("step_attempt WHERE instance_id = " + id), std::to_string(kBranches));
  EXPECT_GT(conflicts(), 0); // else there was no race
  std::cout << conflicts() << " conflicts" << std::endl;
}

} // namespace
} // namespace perdure::cluster_test
