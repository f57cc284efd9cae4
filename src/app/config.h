// Config: what perdure.toml and the command line say, the latter winning. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "api/request.h"
#include "base/log.h"
#include "cli/arguments.h"
#include "engine/retention_policy.h"
#include "perdure/result.h"

namespace perdure::app {

enum class LogFormat { text, json };

struct Config {
  std::string data;                  ///< folder of the SQLite database
  std::string database;              ///< URL of a PostgreSQL database instead; empty: none
  std::string schema = "perdure";    ///< in that database
  std::string node_name;             ///< of a server among others on that database; empty: any
  std::optional<std::string> server; ///< URL of a server that commands talk to
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;
  bool port_is_chosen = false;  ///< by a person: another one will not do
  bool data_is_chosen = false;  ///< likewise
  bool migrate_on_start = true; ///< false: refuse to start while a migration is pending
  std::size_t max_body_bytes = 16 * 1024 * 1024;
  std::size_t max_connections = 10'000;
  api::Limits limits; ///< of what the API takes and gives
  std::size_t handler_threads = 2;
  engine::RetentionPolicy retention; ///< of instances that have ended
  LogLevel log_level = LogLevel::info;
  LogFormat log_format = LogFormat::text;
};

/// Reads the configuration file (the one named; else ./perdure.toml when it exists) and lays the
/// command line over it. Errors: invalid_input with file and line.
[[nodiscard]] Result<Config> load_config(const cli::Common& common);

/// The same for a file's text, which `file` names in messages.
[[nodiscard]] Result<Config> parse_config(std::string_view text, const std::string& file);

/// Splits what `database` says: `sqlite:DIR` is another way to name the folder. Errors:
/// invalid_input when it names no database.
[[nodiscard]] Result<void> read_database(Config& config);

/// $XDG_DATA_HOME/perdure, else ~/.local/share/perdure; ./perdure when there is no home.
[[nodiscard]] std::string user_data_folder();

} // namespace perdure::app
