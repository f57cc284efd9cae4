#include "bench/workload.h"

#include <utility>

#include "app/compile.h"

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

} // namespace

void Completions::committed(const facts::InstanceState& state, std::span<const facts::Fact>) {
  if (state.instance.status == facts::InstanceStatus::completed) completed_(state.instance.id);
}

Workload::Workload(Backend backend, std::function<void(Key)> completed)
    : completions_(std::move(completed)), backend_(std::move(backend)) {
  engine_ = std::make_unique<engine::Engine>(std::move(backend_.store), app::compile,
                                             *backend_.clock, log_, engine::Options{});
  engine_->handle("work", [](const engine::Job&) -> engine::JobResult {
    return Value(Object{{"done", true}});
  });
  engine_->listen(completions_);
  if (auto started = engine_->start(); !started) give_up(started.error().message);
  if (backend_.watch) watch_ = backend_.watch([this] { engine_->wake(); });
  deploy("bench.bpmn", kModel);
}

Workload::~Workload() {
  watch_.reset();
  engine_->stop();
}

void Workload::deploy(const std::string& name, const std::string& source) {
  const auto deployed = engine::ask<engine::Deployed>([&](auto reply) {
    engine_->deploy({.resources = {{name, source}}, .tenant_id = {}}, std::move(reply));
  });
  if (!deployed) give_up(deployed.error().message);
}

void Workload::start() {
  engine::StartCommand command{.process_id = kProcess};
  command.variables = Object{{"order_id", "o-4711"}, {"amount", 120}, {"customer", "Ada"}};
  engine_->start_instance(std::move(command), [](engine::Answer<engine::Started> answer) {
    if (!answer) give_up(answer.error().message);
  });
}

Key Workload::start(const std::string& process_id) {
  engine::StartCommand command{.process_id = process_id};
  command.variables = Object{{"order_id", "o-4711"}, {"amount", 120}, {"customer", "Ada"}};
  const auto started = engine::ask<engine::Started>(
      [&](auto reply) { engine_->start_instance(std::move(command), std::move(reply)); });
  if (!started) give_up(started.error().message);
  return started->instance_id;
}

void Finished::add(Key id) {
  {
    const std::lock_guard lock(mutex_);
    ++count_;
    last_ = id;
  }
  changed_.notify_all();
}

std::int64_t Finished::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

Key Finished::wait_for(std::int64_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return count_ >= count; });
  return last_;
}

Fleet::Fleet(std::vector<Backend> backends) {
  for (auto& backend : backends) {
    nodes_.push_back(
        std::make_unique<Workload>(std::move(backend), [this](Key id) { finished_.add(id); }));
  }
}

void Fleet::start() { nodes_[static_cast<std::size_t>(started_++) % nodes_.size()]->start(); }

Usage Fleet::usage() const {
  Usage all;
  for (const auto& node : nodes_)
    all += node->usage();
  return all;
}

std::unique_ptr<Fleet> single(Backend backend) {
  std::vector<Backend> backends;
  backends.push_back(std::move(backend));
  return std::make_unique<Fleet>(std::move(backends));
}

} // namespace perdure::bench
