#include "app/decide.h"

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "cli/api_client.h"
#include "cli/file.h"
#include "definition/diagnostic.h"
#include "dmn/evaluate.h"
#include "dmn/outcome_value.h"
#include "dmn/read.h"

namespace perdure::app {

namespace {

using cli::ExitCode;

struct File {
  std::string name;
  std::string document;
};

Result<std::vector<File>> read_files(const cli::DecideCommand& command) {
  std::vector<File> files;
  auto paths = command.imports;
  paths.insert(paths.begin(), command.file);
  for (const auto& path : paths) {
    auto document = cli::read_file(path);
    if (!document) return std::unexpected(document.error());
    files.push_back({cli::file_name(path), std::move(*document)});
  }
  return files;
}

/// The decision that was named, or the only one that no other needs.
Result<std::string> choose(const cli::DecideCommand& command, const dmn::Model& model) {
  if (command.decision) return *command.decision;
  const auto results = model.results();
  if (results.size() == 1) return results.front().name;
  if (results.empty()) {
    return fail(ErrorCode::not_found, command.file + " has no decision; draw one");
  }
  std::string names;
  for (const auto& entry : results)
    names += (names.empty() ? "\"" : ", \"") + entry.name + "\"";
  return fail(ErrorCode::invalid_input, command.file +
                                            " has several decisions that no other needs; "
                                            "choose one with --decision: " +
                                            names);
}

} // namespace

ExitCode run_decide(const cli::DecideCommand& command, Surroundings& surroundings) {
  auto& output = surroundings.output;
  const auto files = read_files(command);
  if (!files) return cli::report(output, cli::to_failure(files.error()));
  std::vector<dmn::Source> sources;
  for (const auto& file : *files)
    sources.push_back({file.name, file.document});
  const auto reading = dmn::read(sources);
  for (const auto& diagnostic : reading.diagnostics)
    output.complain(definition::to_text(diagnostic));
  if (!reading.model) return ExitCode::failed;

  const auto decision = choose(command, *reading.model);
  if (!decision) return cli::report(output, cli::to_failure(decision.error()));
  const auto inputs = dmn::inputs_of(command.variables);
  dmn::Options options;
  options.now = surroundings.clock.now();
  const auto outcome = dmn::evaluate(*reading.model, *decision, inputs, options);
  if (!outcome) {
    output.complain(outcome.error());
    return ExitCode::not_found;
  }
  output.print_json(dmn::to_value(*decision, *outcome));
  return outcome->failure ? ExitCode::failed : ExitCode::ok;
}

} // namespace perdure::app
