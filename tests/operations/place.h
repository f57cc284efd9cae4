// A database that commands work on, and the models of these tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/program.h"
#include "store/postgres_cluster.h"

namespace perdure::operations_test {

using cli_test::at;
using cli_test::Ended;
using cli_test::Running;
using cli_test::size_of;
using cli_test::TemporaryFolder;
using cli_test::text_at;

/// A worker's task of type payment, then a person's task.
inline std::string order_model() {
  return R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
             xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="test">
  <process id="order" isExecutable="true">
    <startEvent id="begin"/>
    <sequenceFlow id="f1" sourceRef="begin" targetRef="pay"/>
    <serviceTask id="pay">
      <extensionElements><zeebe:taskDefinition type="payment"/></extensionElements>
    </serviceTask>
    <sequenceFlow id="f2" sourceRef="pay" targetRef="end"/>
    <endEvent id="end"/>
  </process>
  <process id="nap" isExecutable="true">
    <startEvent id="n_begin"/>
    <sequenceFlow id="n1" sourceRef="n_begin" targetRef="rest"/>
    <intermediateCatchEvent id="rest">
      <timerEventDefinition><timeDuration>PT2S</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
    <sequenceFlow id="n2" sourceRef="rest" targetRef="n_end"/>
    <endEvent id="n_end"/>
  </process>
</definitions>
)";
}

/// Where commands are sent: options that lead to one database.
class Place {
public:
  explicit Place(std::string database, std::vector<std::string> options = {})
      : database_(std::move(database)), options_(std::move(options)) {}

  [[nodiscard]] const std::string& database() const { return database_; }
  [[nodiscard]] std::vector<std::string> line(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--database", database_});
    arguments.insert(arguments.end(), options_.begin(), options_.end());
    return arguments;
  }
  [[nodiscard]] Ended run(std::vector<std::string> arguments) const {
    return cli_test::perdure(line(std::move(arguments)));
  }
  /// `restore` or `transfer` to this place.
  [[nodiscard]] Ended copy_from(const std::string& command, const std::string& from) const {
    std::vector<std::string> arguments{command, "--from", from, "--to", database_};
    arguments.insert(arguments.end(), options_.begin(), options_.end());
    return cli_test::perdure(std::move(arguments));
  }
  /// The answer of a command that succeeds.
  [[nodiscard]] Value ask(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const auto ended = run(std::move(arguments));
    EXPECT_EQ(ended.code, 0) << ended.error << ended.out;
    return ended.json();
  }
  void deploy(const TemporaryFolder& folder) const {
    static_cast<void>(ask({"deploy", folder.write("order.bpmn", order_model())}));
  }
  [[nodiscard]] std::string start(const std::string& process = "order") const {
    return text_at(at(ask({"start", process}), "id"));
  }
  /// Completes the one open task of the instance.
  void complete(const std::string& instance) const {
    const auto tasks = ask({"tasks", "--instance", instance});
    static_cast<void>(ask({"complete", text_at(at(tasks, "items", 0, "id"))}));
  }
  [[nodiscard]] std::string status(const std::string& instance) const {
    return text_at(at(ask({"show", instance}), "instance", "status"));
  }
  [[nodiscard]] std::size_t instances() const { return size_of(at(ask({"ps"}), "items")); }
  /// `check` finds nothing.
  void expect_sound() const {
    const auto checked = run({"check"});
    EXPECT_EQ(checked.code, 0) << checked.out << checked.error;
    EXPECT_THAT(checked.out, testing::HasSubstr("no difference"));
  }

private:
  std::string database_;
  std::vector<std::string> options_;
};

/// The server of this program, started for the first test that needs it; null when it cannot be.
inline test::PostgresCluster* cluster() {
  static const auto started = test::PostgresCluster::start();
  return started ? started->get() : nullptr;
}

} // namespace perdure::operations_test
