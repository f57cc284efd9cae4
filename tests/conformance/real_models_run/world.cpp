#include "conformance/real_models_run/world.h"

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "app/compile.h"
#include "store/sqlite/sqlite.h"

namespace perdure::conformance {

EngineWorld::EngineWorld() {
  auto pattern = (std::filesystem::temp_directory_path() / "perdure_models_XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  auto database = store::sqlite::open({.path = (folder_ / "perdure.db").string(),
                                       .synchronous = store::sqlite::Synchronous::normal},
                                      clock_);
  if (!database) throw std::runtime_error(database.error().message);
  reader_ = std::move(database->reader);
  engine::Options options;
  options.policy.max_moves = 100; // a circle without any work is left soon
  engine_ = std::make_unique<engine::Engine>(std::move(database->store), app::compile, clock_, log_,
                                             options);
  if (const auto started = engine_->start(); !started) {
    throw std::runtime_error(started.error().message);
  }
}

EngineWorld::~EngineWorld() {
  engine_.reset();
  reader_.reset();
  std::filesystem::remove_all(folder_);
}

std::expected<std::vector<facts::ProcessDefinition>, std::string> EngineWorld::deploy(
    std::vector<engine::Resource> files) {
  const auto deployed = engine::ask<engine::Deployed>([&](auto reply) {
    engine_->deploy({.resources = std::move(files), .tenant_id = {}}, std::move(reply));
  });
  if (deployed) return deployed->definitions;
  auto reasons = deployed.error().message;
  for (const auto& diagnostic : deployed.error().diagnostics)
    reasons += "\n  " + definition::to_text(diagnostic);
  return std::unexpected(std::move(reasons));
}

void EngineWorld::deploy_decision(const std::string& id) {
  const auto model = R"(<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id=")" +
                     id + R"(-model" name="Invented" namespace="urn:invented"><decision id=")" +
                     id + "\" name=\"" + id + "\"><variable name=\"" + id +
                     R"("/><literalExpression><text>true</text></literalExpression></decision>)" +
                     "</definitions>";
  const auto deployed = deploy({{.name = id + ".dmn", .source = model}});
  if (!deployed) throw std::runtime_error(deployed.error());
}

std::vector<engine::Job> EngineWorld::fetch(const std::string& type) {
  const auto jobs = engine::ask<std::vector<engine::Job>>([&](auto reply) {
    (void)engine_->fetch({.worker_id = "worker",
                          .task_types = {type},
                          .max_tasks = 1,
                          .lock_duration = Duration(30'000)},
                         std::move(reply));
  });
  return jobs ? *jobs : std::vector<engine::Job>();
}

bool EngineWorld::settle() {
  // Calls and signals take a round for each hop: until two rounds in a row find nothing to do. A
  // model that runs in a circle without any work never comes to rest.
  constexpr int kMaxRounds = 12;
  int quiet = 0;
  for (int rounds = 0; quiet < 2 && rounds < kMaxRounds; ++rounds) {
    const auto before = engine_->counters().events.load();
    engine_->wake();
    (void)fetch("nobody-has-this-type");
    quiet = engine_->counters().events == before ? quiet + 1 : 0;
  }
  return quiet == 2;
}

void EngineWorld::move_to(Instant time) {
  clock_.move_to(time);
  (void)settle();
}

std::vector<Key> EngineWorld::instances() {
  const auto ids = reader_->instance_ids({.limit = 100'000, .after = {}});
  return ids ? *ids : std::vector<Key>();
}

facts::ProcessInstance EngineWorld::instance(Key instance_id) {
  auto found = reader_->instance(instance_id);
  if (!found || !*found) throw std::runtime_error("an instance cannot be read");
  return std::move(**found);
}

store::InstanceRecord EngineWorld::record(Key instance_id) {
  auto found = reader_->record(instance_id);
  if (!found || !*found) throw std::runtime_error("an instance has no record");
  return std::move(**found);
}

} // namespace perdure::conformance
