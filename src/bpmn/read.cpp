#include "bpmn/read.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "bpmn/process_reader.h"
#include "definition/report.h"
#include "xml/xml.h"

namespace perdure::bpmn {

namespace {

using definition::Code;
using definition::in_quotes;
using definition::Report;
using xml::Vocabulary;

bool check_root(const xml::Element& root, Report& report) {
  if (root.is(Vocabulary::bpmn, "definitions")) return true;
  const std::string reason =
      root.name == "definitions"
          ? "its namespace is not " + std::string(xml::kBpmnNamespace)
          : "its outermost element is " + in_quotes(root.name) + " instead of `definitions`";
  report.error(Code::not_bpmn, root.place, root.get("id"),
               "The file is no BPMN 2.0 model: " + reason + ", so save it as BPMN 2.0 XML.");
  return false;
}

std::vector<const xml::Element*> processes_of(const xml::Element& root, Report& report) {
  std::vector<const xml::Element*> processes;
  std::unordered_map<std::string_view, int> line_by_id;
  for (const auto& child : root.children) {
    if (!child.is(Vocabulary::bpmn, "process")) continue;
    processes.push_back(&child);
    const auto id = child.get("id");
    if (id.empty()) continue;
    const auto [known, fresh] = line_by_id.emplace(id, child.place.line);
    if (fresh) continue;
    report.error(Code::duplicate_process_id, child.place, id,
                 "The file has another process " + in_quotes(id) + " in line " +
                     std::to_string(known->second) + ": give each process its own id.");
  }
  return processes;
}

void report_none_executable(const xml::Element& root,
                            const std::vector<const xml::Element*>& processes, Report& report) {
  if (processes.empty()) {
    report.error(Code::no_executable_process, root.place, root.get("id"),
                 "The file has no process: draw one and mark it executable.");
    return;
  }
  const auto& first = *processes.front();
  report.error(
      Code::no_executable_process, first.place, first.get("id"),
      "No process of the file is marked executable: set isExecutable=\"true\" on " +
          (first.get("id").empty() ? std::string("the process") : in_quotes(first.get("id"))) +
          ".");
}

} // namespace

std::expected<Deployment, std::vector<definition::Diagnostic>> read(std::string_view document,
                                                                    std::string_view file_name) {
  Report report;
  Deployment deployment;
  const auto root = xml::parse(document);
  if (!root) {
    report.error(root.error().code, root.error().place, {}, root.error().message);
  } else if (check_root(*root, report)) {
    const auto processes = processes_of(*root, report);
    const References references(*root);
    bool any_executable = false;
    for (const auto* process : processes) {
      if (!xml::is_true(process->get("isExecutable"))) continue;
      any_executable = true;
      if (read_id(*process, report).empty()) continue;
      // Each with its own report: an error in one process must not silence the rules of the next.
      Report own;
      auto definition = read_process(*process, references, own);
      report.add(std::move(own).take({}));
      if (definition) deployment.processes.push_back({std::move(definition)});
    }
    if (!any_executable) report_none_executable(*root, processes, report);
  }
  const bool failed = report.has_errors();
  auto diagnostics = std::move(report).take(file_name);
  if (failed) return std::unexpected(std::move(diagnostics));
  deployment.diagnostics = std::move(diagnostics);
  return deployment;
}

} // namespace perdure::bpmn
