#include "engine/models.h"

#include <initializer_list>

namespace perdure::engine {

namespace {

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const auto part : parts)
    text += part;
  return text;
}

std::string element(std::string_view tag, std::string_view id) {
  return joined({"<", tag, " id=\"", id, "\"/>\n"});
}

std::string start() { return element("startEvent", "Start"); }
std::string end(std::string_view id = "End") { return element("endEvent", id); }

} // namespace

std::string model(std::string_view process_id, std::string_view elements) {
  return joined({R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" targetNamespace="test">
<process id=")",
                 process_id, "\" isExecutable=\"true\">\n", elements,
                 "</process>\n</definitions>\n"});
}

std::string flow(std::string_view from, std::string_view to, std::string_view condition) {
  const auto head = joined(
      {"<sequenceFlow id=\"", from, "_", to, "\" sourceRef=\"", from, "\" targetRef=\"", to, "\""});
  if (condition.empty()) return head + "/>\n";
  return joined({head, "><conditionExpression xsi:type=\"tFormalExpression\">= ", condition,
                 "</conditionExpression></sequenceFlow>\n"});
}

std::string service(std::string_view id, std::string_view type, int retries) {
  return joined({"<serviceTask id=\"", id, "\"><extensionElements><zeebe:taskDefinition type=\"",
                 type, "\" retries=\"", std::to_string(retries),
                 "\"/></extensionElements></serviceTask>\n"});
}

std::string order_model() {
  return model("order", start() + flow("Start", "A") + service("A", "payment") + flow("A", "B") +
                            service("B", "stock") + flow("B", "C") + service("C", "shipping") +
                            flow("C", "Choose") +
                            "<exclusiveGateway id=\"Choose\" default=\"Choose_Small\"/>\n" +
                            flow("Choose", "Big", "amount &gt; 100") + flow("Choose", "Small") +
                            end("Big") + end("Small"));
}

std::string work_model(std::string_view process_id, std::string_view type, int retries) {
  return model(process_id, start() + flow("Start", "Work") + service("Work", type, retries) +
                               flow("Work", "End") + end());
}

std::string priority_model(std::string_view process_id, int priority) {
  return model(process_id,
               start() + flow("Start", "Work") +
                   "<serviceTask id=\"Work\" camunda:type=\"external\" camunda:topic=\"work\" "
                   "camunda:taskPriority=\"" +
                   std::to_string(priority) + "\"/>\n" + flow("Work", "End") + end());
}

std::string timer_model() {
  return model("nap", start() + flow("Start", "Nap") +
                          "<intermediateCatchEvent id=\"Nap\"><timerEventDefinition><timeDuration "
                          "xsi:type=\"tFormalExpression\">PT10S</timeDuration>"
                          "</timerEventDefinition></intermediateCatchEvent>\n" +
                          flow("Nap", "End") + end());
}

std::string review_model() {
  return model("review", start() + flow("Start", "Review") + element("userTask", "Review") +
                             flow("Review", "End") + end());
}

std::string runaway_model() {
  return model("runaway", start() + flow("Start", "Merge") + element("exclusiveGateway", "Merge") +
                              flow("Merge", "More") +
                              "<exclusiveGateway id=\"More\" default=\"More_End\"/>\n" +
                              flow("More", "Merge", "again") + flow("More", "End") + end());
}

} // namespace perdure::engine
