#include "app/compile.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "bpmn/read.h"
#include "definition/report.h"
#include "dmn/header.h"
#include "dmn/read.h"

namespace perdure::app {

namespace {

using definition::Code;
using definition::Diagnostic;
using definition::in_quotes;

class Compilation {
public:
  explicit Compilation(std::span<const engine::Resource> files) : files_(files) {}

  std::expected<engine::Compiled, std::vector<Diagnostic>> run() {
    for (const auto& file : files_)
      headers_.push_back(may_be_dmn(file) ? dmn::read_header(file.source) : std::nullopt);
    for (std::size_t i = 0; i < files_.size(); ++i) {
      auto& resource = compiled_.resources.emplace_back();
      is_model(i) ? read_model(i, resource) : read_processes(i, resource);
    }
    if (errors_.empty()) check_names();
    if (errors_.empty()) return std::move(compiled_);
    return std::unexpected(std::move(errors_));
  }

private:
  static bool is_called_dmn(const engine::Resource& file) { return file.name.ends_with(".dmn"); }
  /// Spares most files of processes to be parsed twice.
  static bool may_be_dmn(const engine::Resource& file) {
    return is_called_dmn(file) || file.source.contains("/spec/DMN/");
  }
  bool is_model(std::size_t file) const {
    return headers_[file].has_value() || is_called_dmn(files_[file]);
  }

  void read_processes(std::size_t file, engine::CompiledResource& resource) {
    auto deployment = bpmn::read(files_[file].source, files_[file].name);
    if (!deployment) {
      std::ranges::move(deployment.error(), std::back_inserter(errors_));
      return;
    }
    for (auto& process : deployment->processes)
      resource.processes.push_back(std::move(process.definition));
    std::ranges::move(deployment->diagnostics, std::back_inserter(compiled_.warnings));
  }

  /// What is wrong with an imported file is said when that one is read.
  void read_model(std::size_t file, engine::CompiledResource& resource) {
    resource.imports = dmn::imports_of(headers_, file);
    std::vector<dmn::Source> sources{{files_[file].name, files_[file].source}};
    for (const auto import : resource.imports)
      sources.push_back({files_[import].name, files_[import].source});
    auto reading = dmn::read(sources);
    resource.model = std::move(reading.model);
    for (auto& found : reading.diagnostics) {
      const bool is_error = found.severity == definition::Severity::error;
      const bool is_own = found.file == files_[file].name;
      if (is_own) (is_error ? errors_ : compiled_.warnings).push_back(std::move(found));
    }
  }

  /// Keys and versions go by these names: within a deployment each stands for one thing.
  void check_names() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto& resource = compiled_.resources[i];
      for (const auto& process : resource.processes)
        claim(i, "process", process->process_id(), {}, Code::duplicate_process_id);
      if (!resource.model) continue;
      for (const auto& decision : resource.model->decisions())
        claim(i, "decision", decision.key(), decision.place, Code::duplicate_id);
      for (const auto& service : resource.model->services())
        claim(i, "decision", service.key(), service.place, Code::duplicate_id);
      claim(i, "decision model", resource.model->key(), {}, Code::duplicate_id);
    }
  }

  void claim(std::size_t file, const std::string& what, const std::string& id,
             definition::SourcePlace place, Code code) {
    const auto [known, fresh] = claimed_.emplace(std::pair(what, id), file);
    if (fresh) return;
    const auto& other = files_[known->second].name;
    const auto where = known->second == file ? "The file" : "The file " + in_quotes(other);
    errors_.push_back({.code = std::string(name_of(code)),
                       .message = where + " of this deployment has another " + what + " " +
                                  in_quotes(id) + ": give each its own id.",
                       .element_id = id,
                       .line = place.line,
                       .column = place.column,
                       .file = files_[file].name});
  }

  std::span<const engine::Resource> files_;
  std::vector<std::optional<dmn::Header>> headers_;
  engine::Compiled compiled_;
  std::vector<Diagnostic> errors_;
  std::map<std::pair<std::string, std::string>, std::size_t> claimed_;
};

} // namespace

std::expected<engine::Compiled, std::vector<Diagnostic>> compile(
    std::span<const engine::Resource> files) {
  return Compilation(files).run();
}

} // namespace perdure::app
