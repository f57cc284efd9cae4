#include "bench/postgres_waiting.h"

#include "bench/copies.h"
#include "bench/workload.h"
#include "facts/rows.h"

namespace perdure::bench {

namespace {

using store::postgres::Connection;

constexpr Key kStride = 1'000;

constexpr const char* kModel = R"(<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    targetNamespace="https://perdure.dev/bench">
  <bpmn:process id="sleeper" isExecutable="true">
    <bpmn:startEvent id="begin" />
    <bpmn:sequenceFlow id="f1" sourceRef="begin" targetRef="nap" />
    <bpmn:intermediateCatchEvent id="nap">
      <bpmn:timerEventDefinition>
        <bpmn:timeDuration xsi:type="bpmn:tFormalExpression">P30D</bpmn:timeDuration>
      </bpmn:timerEventDefinition>
    </bpmn:intermediateCatchEvent>
    <bpmn:sequenceFlow id="f2" sourceRef="nap" targetRef="end" />
    <bpmn:endEvent id="end" />
  </bpmn:process>
  <bpmn:process id="orphan" isExecutable="true">
    <bpmn:startEvent id="begin" />
    <bpmn:sequenceFlow id="f1" sourceRef="begin" targetRef="rest" />
    <bpmn:serviceTask id="rest" name="Rest">
      <bpmn:extensionElements><zeebe:taskDefinition type="rest" /></bpmn:extensionElements>
    </bpmn:serviceTask>
    <bpmn:sequenceFlow id="f2" sourceRef="rest" targetRef="end" />
    <bpmn:endEvent id="end" />
  </bpmn:process>
</bpmn:definitions>
)";

void run(Connection& connection, const std::string& statement) {
  if (const auto done = connection.script(statement); !done) give_up(done.error().message);
}

/// Whether a column holds a key of the instance's own.
bool is_own_key(std::string_view column) {
  for (const auto* name : {"id", "instance_id", "scope_id", "parent_id", "token_id", "step_id"}) {
    if (column == name) return true;
  }
  return false;
}

/// `count` copies of the instance's rows in a table, each with its keys `kStride` higher.
template <class Row>
std::string copy_table(const std::string& table, const std::string& key, Key instance_id,
                       std::int64_t count) {
  std::string columns;
  const Row row;
  for_each_field(row, [&](std::string_view name, const auto&) {
    if (!columns.empty()) columns += ", ";
    columns += name;
    if (is_own_key(name)) columns += " + copy * " + std::to_string(kStride);
  });
  return "INSERT INTO " + table + " SELECT " + columns + " FROM generate_series(1, " +
         std::to_string(count) + ") AS copy, " + table + " WHERE " + key + " = " +
         std::to_string(instance_id);
}

void copy_instance(Connection& connection, Key id, std::int64_t count) {
  run(connection, copy_table<facts::ProcessInstance>("process_instance", "id", id, count));
  run(connection, copy_table<facts::Scope>("scope", "instance_id", id, count));
  run(connection, copy_table<facts::Token>("token", "instance_id", id, count));
  run(connection, copy_table<facts::StepRecord>("step_record", "instance_id", id, count));
  run(connection, copy_table<facts::ExternalTask>("external_task", "instance_id", id, count));
  run(connection, copy_table<facts::Timer>("timer", "instance_id", id, count));
  run(connection, copy_table<HistoryRow>("history_event", "instance_id", id, count));
}

} // namespace

void load_waiting(const store::postgres::Options& options, std::int64_t count) {
  Key sleeper = kNoKey;
  Key orphan = kNoKey;
  {
    Workload workload(open_postgres(options), [](Key) {});
    workload.deploy("waiting.bpmn", kModel);
    sleeper = workload.start("sleeper");
    orphan = workload.start("orphan");
  }
  auto loader = reader_connection(options);
  loader.statement_timeout = Duration(0);
  const auto connection = Connection::open(loader);
  if (!connection) give_up(connection.error().message);
  // The originals fulfil every rule, and so do their copies: not each has to be looked at.
  run(**connection, "SET session_replication_role = replica");
  for (const auto id : {sleeper, orphan})
    copy_instance(**connection, id, count / 2);
  run(**connection, "SET session_replication_role = DEFAULT");
  run(**connection, "SELECT setval('key_block', nextval('key_block') + " +
                        std::to_string(count / 2 * kStride) + ")");
  for (const auto* table : {"process_instance", "scope", "token", "step_record", "external_task",
                            "timer", "history_event"}) {
    run(**connection, std::string("VACUUM (ANALYZE) ") + table);
  }
  run(**connection, "CHECKPOINT");
}

} // namespace perdure::bench
