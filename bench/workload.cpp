#include "bench/workload.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "bpmn/read.h"

namespace perdure::bench {

namespace {

constexpr const char* kModel = R"(<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    targetNamespace="https://perdure.dev/bench">
  <bpmn:process id="bench" isExecutable="true">
    <bpmn:startEvent id="begin" />
    <bpmn:sequenceFlow id="f1" sourceRef="begin" targetRef="a" />
    <bpmn:serviceTask id="a" name="A">
      <bpmn:extensionElements><zeebe:taskDefinition type="work" /></bpmn:extensionElements>
    </bpmn:serviceTask>
    <bpmn:sequenceFlow id="f2" sourceRef="a" targetRef="b" />
    <bpmn:serviceTask id="b" name="B">
      <bpmn:extensionElements><zeebe:taskDefinition type="work" /></bpmn:extensionElements>
    </bpmn:serviceTask>
    <bpmn:sequenceFlow id="f3" sourceRef="b" targetRef="c" />
    <bpmn:serviceTask id="c" name="C">
      <bpmn:extensionElements><zeebe:taskDefinition type="work" /></bpmn:extensionElements>
    </bpmn:serviceTask>
    <bpmn:sequenceFlow id="f4" sourceRef="c" targetRef="choice" />
    <bpmn:exclusiveGateway id="choice" default="f6" />
    <bpmn:sequenceFlow id="f5" sourceRef="choice" targetRef="large">
      <bpmn:conditionExpression
          xsi:type="bpmn:tFormalExpression">= amount > 1000</bpmn:conditionExpression>
    </bpmn:sequenceFlow>
    <bpmn:sequenceFlow id="f6" sourceRef="choice" targetRef="small" />
    <bpmn:endEvent id="large" />
    <bpmn:endEvent id="small" />
  </bpmn:process>
</bpmn:definitions>
)";

auto compile(std::string_view source, std::string_view name)
    -> std::expected<engine::Compiled, std::vector<definition::Diagnostic>> {
  auto read = bpmn::read(source, name);
  if (!read) return std::unexpected(std::move(read.error()));
  engine::Compiled compiled;
  for (auto& process : read->processes)
    compiled.processes.push_back(process.definition);
  return compiled;
}

} // namespace

void give_up(const std::string& message) {
  std::fprintf(stderr, "perdure_bench: %s\n", message.c_str());
  std::exit(1);
}

Instant WallClock::now() const {
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

void Completions::committed(const facts::InstanceState& state, std::span<const facts::Fact>) {
  if (state.instance.status == facts::InstanceStatus::completed) completed_(state.instance.id);
}

Workload::Workload(const std::string& folder, std::function<void(Key)> completed)
    : completions_(std::move(completed)) {
  auto opened = store::sqlite::open({.path = store::sqlite::database_path(folder)}, clock_);
  if (!opened) give_up(opened.error().message);
  database_ = std::move(*opened);
  engine_ = std::make_unique<engine::Engine>(std::move(database_.store), compile, clock_, log_,
                                             engine::Options{});
  engine_->handle("work", [](const engine::Job&) -> engine::JobResult {
    return Value(Object{{"done", true}});
  });
  engine_->listen(completions_);
  if (auto started = engine_->start(); !started) give_up(started.error().message);
  const auto deployed = engine::ask<engine::Deployed>(
      [&](auto reply) { engine_->deploy({"bench.bpmn", kModel, ""}, std::move(reply)); });
  if (!deployed) give_up(deployed.error().message);
}

Workload::~Workload() { engine_->stop(); }

void Workload::start() {
  engine::StartCommand command{.process_id = kProcess};
  command.variables = Object{{"order_id", "o-4711"}, {"amount", 120}, {"customer", "Ada"}};
  engine_->start_instance(std::move(command), [](engine::Answer<engine::Started> answer) {
    if (!answer) give_up(answer.error().message);
  });
}

} // namespace perdure::bench
