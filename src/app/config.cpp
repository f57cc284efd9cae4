#include "app/config.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "cli/file.h"
#include "net/client.h"
#include "store/postgres/postgres.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace perdure::app {

namespace {

constexpr const char* kDefaultFile = "perdure.toml";

/// Reads known keys out of a table and remembers the first thing that is wrong.
class TableReader {
public:
  TableReader(const toml::table& table, std::string prefix, const std::string& file,
              std::optional<Error>& error)
      : table_(table), prefix_(std::move(prefix)), file_(file), error_(error) {}

  template <class T>
  bool read(const char* key, T& target) {
    known_.emplace_back(key);
    const auto* node = table_.get(key);
    if (node == nullptr) return false;
    if constexpr (std::is_same_v<T, std::string>) {
      const auto value = node->value_exact<std::string>();
      if (!value) return refuse(*node, key, "must be a text");
      target = *value;
    } else if constexpr (std::is_same_v<T, bool>) {
      const auto value = node->value_exact<bool>();
      if (!value) return refuse(*node, key, "must be true or false");
      target = *value;
    } else {
      const auto value = node->value_exact<std::int64_t>();
      auto most = std::int64_t{1} << 40U;
      if constexpr (std::is_integral_v<T>) {
        if (std::cmp_less(std::numeric_limits<T>::max(), most)) {
          most = static_cast<std::int64_t>(std::numeric_limits<T>::max());
        }
      }
      if (!value || *value < 0 || *value > most) {
        return refuse(*node, key, "must be a whole number from 0 to " + std::to_string(most));
      }
      if constexpr (std::is_same_v<T, Duration>) {
        target = Duration(*value);
      } else {
        target = static_cast<T>(*value);
      }
    }
    return true;
  }

  [[nodiscard]] const toml::table* table(const char* key) {
    known_.emplace_back(key);
    const auto* node = table_.get(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) refuse(*node, key, "must be a table");
    return node->as_table();
  }

  /// A key that nobody reads is a mistake, most often of spelling.
  void finish() {
    for (const auto& [key, node] : table_) {
      if (std::ranges::find(known_, key.str()) == known_.end()) {
        refuse(node, std::string(key.str()),
               "is not a setting; see docs/cli.md for those there are");
      }
    }
  }

  bool refuse(const toml::node& node, const std::string& key, const std::string& what) {
    if (!error_) {
      const auto line = std::to_string(node.source().begin.line);
      error_ = Error{ErrorCode::invalid_input,
                     file_ + ":" + line + ": " + prefix_ + key + " " + what, file_};
    }
    return false;
  }

private:
  const toml::table& table_;
  std::string prefix_;
  const std::string& file_;
  std::optional<Error>& error_;
  std::vector<std::string> known_;
};

void read_log(TableReader& root, const std::string& file, std::optional<Error>& error,
              Config& config) {
  const auto* table = root.table("log");
  if (table == nullptr) return;
  TableReader log(*table, "log.", file, error);
  std::string level = "info";
  std::string format = "text";
  log.read("level", level);
  log.read("format", format);
  if (level == "debug")
    config.log_level = LogLevel::debug;
  else if (level == "info")
    config.log_level = LogLevel::info;
  else if (level == "warning")
    config.log_level = LogLevel::warning;
  else if (level == "error")
    config.log_level = LogLevel::error;
  else
    log.refuse(*table->get("level"), "level", "must be debug, info, warning or error");
  if (format == "json")
    config.log_format = LogFormat::json;
  else if (format != "text")
    log.refuse(*table->get("format"), "format", "must be text or json");
  log.finish();
}

void read_retention(
    const toml::table& table, TableReader& reader, const std::vector<std::string>& keys,
    const std::function<void(const std::string&, engine::RetentionPolicy::Time)>& take) {
  for (const auto& key : keys) {
    std::string text;
    if (!reader.read(key.c_str(), text)) continue;
    const auto time = engine::parse_retention(text);
    if (time)
      take(key, *time);
    else
      reader.refuse(*table.get(key), key, "must be a time such as \"P30D\", or \"off\"");
  }
}

void read_retention(TableReader& root, const std::string& file, std::optional<Error>& error,
                    engine::RetentionPolicy& policy) {
  const auto* table = root.table("retention");
  if (table == nullptr) return;
  TableReader retention(*table, "retention.", file, error);
  read_retention(*table, retention, {"default"},
                 [&](const std::string&, auto time) { policy.standard = time; });
  if (const auto* processes = retention.table("process")) {
    TableReader process(*processes, "retention.process.", file, error);
    std::vector<std::string> ids;
    for (const auto& [id, node] : *processes)
      ids.emplace_back(id.str());
    read_retention(*processes, process, ids, [&](const std::string& id, auto time) {
      policy.by_process.insert_or_assign(id, time);
    });
  }
  retention.finish();
}

} // namespace

Result<Config> parse_config(std::string_view text, const std::string& file) {
  const auto parsed = toml::parse(text, file);
  if (!parsed) {
    return fail(ErrorCode::invalid_input,
                file + ":" + std::to_string(parsed.error().source().begin.line) +
                    ": this is not valid TOML: " + std::string(parsed.error().description()),
                file);
  }
  Config config;
  std::optional<Error> error;
  TableReader root(parsed.table(), "", file, error);
  config.data_is_chosen = root.read("data", config.data);
  root.read("database", config.database);
  root.read("schema", config.schema);
  root.read("node_name", config.node_name);
  std::string server;
  if (root.read("server", server)) config.server = server;
  root.read("host", config.host);
  config.port_is_chosen = root.read("port", config.port);
  root.read("migrate_on_start", config.migrate_on_start);
  if (const auto* table = root.table("limits")) {
    TableReader limits(*table, "limits.", file, error);
    limits.read("max_body_bytes", config.max_body_bytes);
    limits.read("max_connections", config.max_connections);
    limits.read("handler_threads", config.handler_threads);
    limits.read("max_variables_bytes", config.limits.max_variables_bytes);
    limits.read("max_text_bytes", config.limits.max_text_bytes);
    limits.read("max_page", config.limits.max_page);
    limits.read("max_tasks_per_fetch", config.limits.max_tasks);
    limits.read("max_wait_ms", config.limits.max_wait);
    limits.read("max_lock_ms", config.limits.max_lock);
    for (const auto* name : {"max_page", "max_tasks_per_fetch", "max_lock_ms"}) {
      const auto* given = table->get(name);
      if (given && given->value_or<std::int64_t>(1) == 0) {
        limits.refuse(*given, name, "must be at least 1");
      }
    }
    limits.finish();
  }
  read_retention(root, file, error, config.retention);
  read_log(root, file, error, config);
  root.finish();
  if (error) return std::unexpected(*error);
  return config;
}

Result<void> read_database(Config& config) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (config.database.starts_with(kSqlite)) {
    config.data = config.database.substr(kSqlite.size());
    config.data_is_chosen = true;
    config.database.clear();
  }
  if (config.database.empty() || store::postgres::is_postgres_url(config.database)) return {};
  return fail(ErrorCode::invalid_input,
              "\"" + store::postgres::without_password(config.database) +
                  "\" names no database; use sqlite:DIR or postgres://USER@HOST/NAME");
}

Result<Config> load_config(const cli::Common& common) {
  Config config;
  std::error_code ignored;
  const std::string file = common.config.value_or(kDefaultFile);
  if (common.config || std::filesystem::exists(file, ignored)) {
    const auto text = cli::read_file(file);
    if (!text) return std::unexpected(text.error());
    auto parsed = parse_config(*text, file);
    if (!parsed) return parsed;
    config = std::move(*parsed);
  }
  if (common.data) {
    config.data = *common.data;
    config.data_is_chosen = true;
    config.database.clear();
    config.server.reset();
  }
  if (common.database) {
    config.database = *common.database;
    config.server.reset();
  }
  if (auto named = read_database(config); !named) return std::unexpected(named.error());
  if (common.server) config.server = *common.server;
  if (config.server) {
    if (auto usable = net::check_base_url(*config.server); !usable) {
      return std::unexpected(usable.error());
    }
  }
  if (config.data.empty()) config.data = user_data_folder();
  return config;
}

std::string user_data_folder() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data == '/') return std::string(data) + "/perdure"; // relative: ignored
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return std::string(home) + "/.local/share/perdure";
  return "perdure";
}

} // namespace perdure::app
