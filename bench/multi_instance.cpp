#include "bench/multi_instance.h"

#include <filesystem>

#include "bench/workload.h"

namespace perdure::bench {

namespace {

std::string model(const std::string& name, int items) {
  return R"(<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
  <bpmn:process id=")" +
         name + R"(" isExecutable="true">
    <bpmn:serviceTask id="each">
      <bpmn:extensionElements><zeebe:taskDefinition type="work" /></bpmn:extensionElements>
      <bpmn:multiInstanceLoopCharacteristics>
        <bpmn:loopCardinality>)" +
         std::to_string(items) + R"(</bpmn:loopCardinality>
      </bpmn:multiInstanceLoopCharacteristics>
    </bpmn:serviceTask>
  </bpmn:process>
</bpmn:definitions>)";
}

double us_per_item(const std::string& folder, int items) {
  std::filesystem::create_directories(folder);
  Finished finished;
  Workload workload(open_sqlite(folder), [&](Key id) { finished.add(id); });
  const auto name = "items" + std::to_string(items);
  workload.deploy(name + ".bpmn", model(name, items));
  const auto began = seconds_now();
  static_cast<void>(workload.start(name));
  finished.wait_for(1);
  return (seconds_now() - began) * 1e6 / items;
}

} // namespace

void multi_instance(Figures& figures, const std::string& folder, int few, int many) {
  const auto small = us_per_item(folder + "/few", few);
  const auto large = us_per_item(folder + "/many", many);
  const auto name = [](int items) {
    return "multi_instance_" + std::to_string(items) + "_us_per_item";
  };
  figures.add(name(few), small, "a parallel multi-instance of service tasks on SQLite");
  figures.add(name(many), large);
  figures.add("multi_instance_growth", large / small, "1: linear in the number of items");
}

} // namespace perdure::bench
