#include "bench/backend.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "store/sqlite/sqlite.h"

namespace perdure::bench {

namespace {

/// Of either dialect's counters.
std::function<Usage()> usage_of(auto counters) {
  return [counters] {
    return Usage{counters->statements.load(), counters->rows.load(), counters->commits.load()};
  };
}

} // namespace

void give_up(const std::string& message) {
  std::fprintf(stderr, "perdure_bench: %s\n", message.c_str());
  std::exit(1);
}

Instant WallClock::now() const {
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

Usage& Usage::operator+=(const Usage& other) {
  statements += other.statements;
  rows += other.rows;
  commits += other.commits;
  return *this;
}

Usage Usage::operator-(const Usage& other) const {
  return {statements - other.statements, rows - other.rows, commits - other.commits};
}

Backend open_sqlite(const std::string& folder) {
  auto clock = std::make_shared<WallClock>();
  auto opened = store::sqlite::open({.path = store::sqlite::database_path(folder)}, *clock);
  if (!opened) give_up(opened.error().message);
  return {.clock = std::move(clock),
          .store = std::move(opened->store),
          .reader = std::move(opened->reader),
          .usage = usage_of(opened->counters),
          .watch = {}};
}

Backend open_postgres(const store::postgres::Options& options) {
  auto opened = store::postgres::open(options);
  if (!opened) give_up(opened.error().message);
  // What a watch needs of the database; store and reader go to the engine.
  auto seen = std::make_shared<store::postgres::Database>();
  seen->counters = opened->counters;
  seen->clock = opened->clock;
  return {.clock = opened->clock,
          .store = std::move(opened->store),
          .reader = std::move(opened->reader),
          .usage = usage_of(opened->counters),
          .watch = [options, seen](std::function<void()> wake) -> std::shared_ptr<void> {
            return store::postgres::watch(options, *seen, std::move(wake));
          }};
}

} // namespace perdure::bench
