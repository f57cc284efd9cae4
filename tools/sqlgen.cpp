// sqlgen: turns the .sql files of a folder into one C++ header. schema/NNNN_name.sql are
// migrations, queries/*.sql hold named queries ("-- name: timer_due"). A file that ends in
// .sqlite.sql or .postgres.sql belongs to that dialect only; any other file to both. It knows
// comments and quotes, no more of SQL: everything else is the database's to judge.
//
//   sqlgen SQL_FOLDER OUTPUT_HEADER
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDialects[] = {"sqlite", "postgres"};
constexpr std::string_view kNameMark = "-- name:";
constexpr std::size_t kChunkBytes = 8000;

struct Place {
  std::string file;
  std::size_t line = 0;
};

struct Query {
  std::string name;
  std::vector<std::string> documentation;
  std::string text;
  Place place;
};

struct Migration {
  int version = 0;
  std::string name;
  std::string text;
  Place place;
};

struct Dialect {
  std::vector<Query> queries;
  std::vector<Migration> migrations;
};

struct SqlError : std::runtime_error {
  SqlError(const Place& place, const std::string& message)
      : std::runtime_error(place.file + ":" + std::to_string(place.line) + ": error: " + message) {}
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw SqlError({path.string(), 1}, "cannot be read; check that it exists");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

std::string_view trim(std::string_view text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && space(text.back()))
    text.remove_suffix(1);
  return text;
}

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::ranges::all_of(text, fits);
}

/// The dialect that a file name asks for, or nothing when the file serves every dialect.
std::optional<std::string_view> dialect_of(const fs::path& path) {
  const std::string suffix = path.stem().extension().string();
  for (const std::string_view dialect : kDialects) {
    if (suffix == "." + std::string(dialect)) return dialect;
  }
  if (!suffix.empty()) {
    throw SqlError({path.string(), 1},
                   "unknown dialect \"" + suffix.substr(1) +
                       "\" in the file name; use .sqlite.sql, .postgres.sql or .sql");
  }
  return std::nullopt;
}

/// Removes `-- ...` and `/* ... */` outside quotes, then blank lines and space at line ends.
std::string strip_comments(std::string_view sql, const Place& place) {
  std::string bare;
  char quote = '\0';
  for (std::size_t at = 0; at < sql.size(); ++at) {
    const char c = sql[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (sql.substr(at, 2) == "--") {
      at = std::min(sql.find('\n', at), sql.size()) - 1;
      continue;
    } else if (sql.substr(at, 2) == "/*") {
      const std::size_t end = sql.find("*/", at + 2);
      if (end == std::string_view::npos) throw SqlError(place, "a /* comment has no end; add */");
      at = end + 1;
      continue;
    }
    bare += c;
  }
  if (quote != '\0') throw SqlError(place, "a quote is never closed in this query");
  std::string text;
  for (const std::string& line : split_lines(bare)) {
    if (trim(line).empty()) continue;
    if (!text.empty()) text += '\n';
    text += line.substr(0, line.find_last_not_of(" \t\r") + 1);
  }
  return text;
}

void finish(Query& query, const std::string& body, std::vector<Query>& queries) {
  query.text = strip_comments(body, query.place);
  if (query.text.empty()) {
    throw SqlError(query.place, "query " + query.name + " has no text; write it below its name");
  }
  queries.push_back(std::move(query));
  query = {};
}

std::vector<Query> read_queries(const fs::path& path) {
  std::vector<Query> queries;
  Query query;
  std::string body;
  bool in_documentation = false;
  std::size_t number = 0;
  for (const std::string& line : split_lines(read_file(path))) {
    const Place place{path.string(), ++number};
    const std::string_view bare = trim(line);
    if (bare.starts_with(kNameMark)) {
      if (!query.name.empty()) finish(query, body, queries);
      query.name = trim(bare.substr(kNameMark.size()));
      query.place = place;
      body.clear();
      in_documentation = true;
      if (!is_name(query.name)) {
        throw SqlError(place, "\"" + query.name + "\" is no query name; use lower_snake_case");
      }
      continue;
    }
    const bool comment = bare.starts_with("--");
    if (query.name.empty()) {
      if (comment || bare.empty()) continue; // the paragraph at the head of the file
      throw SqlError(place, "query without a name; write \"-- name: its_name\" above it");
    }
    if (in_documentation && comment) {
      query.documentation.emplace_back(trim(bare.substr(2)));
      continue;
    }
    in_documentation = in_documentation && bare.empty();
    body += line + '\n';
  }
  if (!query.name.empty()) finish(query, body, queries);
  return queries;
}

Migration read_migration(const fs::path& path) {
  const std::string stem = path.stem().stem().string();
  const Place place{path.string(), 1};
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (stem.size() < 6 || !std::all_of(stem.begin(), stem.begin() + 4, digit) || stem[4] != '_' ||
      !is_name(stem.substr(5))) {
    throw SqlError(place,
                   "a schema file is named NNNN_lower_snake_case.sql, such as 0001_core.sql");
  }
  return {std::stoi(stem.substr(0, 4)), stem.substr(5), read_file(path), place};
}

std::vector<fs::path> sql_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".sql") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Calls `take(dialect)` for each dialect that the file belongs to.
template <class Take>
void for_dialects(const fs::path& file, std::map<std::string_view, Dialect>& dialects, Take take) {
  const std::optional<std::string_view> only = dialect_of(file);
  for (auto& [name, dialect] : dialects) {
    if (!only || *only == name) take(dialect);
  }
}

void check_queries(Dialect& dialect) {
  std::map<std::string, Place> seen;
  for (const Query& query : dialect.queries) {
    const auto [known, added] = seen.emplace(query.name, query.place);
    if (added) continue;
    throw SqlError(query.place, "query " + query.name + " is already defined at " +
                                    known->second.file + ":" + std::to_string(known->second.line));
  }
  std::ranges::sort(dialect.queries, {}, &Query::name);
}

void check_migrations(Dialect& dialect) {
  const auto order = [](const Migration& migration) {
    return std::tie(migration.version, migration.place.file);
  };
  std::ranges::sort(dialect.migrations, {}, order);
  int expected = 1;
  for (const Migration& migration : dialect.migrations) {
    const std::string number = std::to_string(migration.version);
    if (migration.version < expected) {
      throw SqlError(migration.place,
                     "schema number " + number + " is used twice; take the next one");
    }
    if (migration.version > expected) {
      throw SqlError(migration.place, "schema number " + std::to_string(expected) +
                                          " is missing before " + number +
                                          "; numbers have no gaps");
    }
    ++expected;
  }
}

/// A raw string literal in chunks, since compilers bound the length of one token.
std::string literal(std::string_view text, const Place& place) {
  if (text.find(")sql\"") != std::string_view::npos) {
    throw SqlError(place, "the text contains )sql\" which ends the literal; write it apart");
  }
  std::string out;
  while (text.size() > kChunkBytes) {
    std::size_t cut = text.rfind('\n', kChunkBytes);
    cut = cut == std::string_view::npos ? kChunkBytes : cut + 1;
    out += "R\"sql(" + std::string(text.substr(0, cut)) + ")sql\"\n";
    text.remove_prefix(cut);
  }
  return out + "R\"sql(" + std::string(text) + ")sql\"";
}

void write_queries(std::ostream& out, std::string_view name, const Dialect& dialect) {
  out << "namespace " << name << " {\n\n";
  for (const Query& query : dialect.queries) {
    for (const std::string& line : query.documentation)
      out << "/// " << line << '\n';
    out << "inline constexpr Query " << query.name << "{\"" << query.name << "\", "
        << literal(query.text, query.place) << "};\n\n";
  }
  out << "/// Every query of this namespace, by name.\n"
      << "inline constexpr std::array<Query, " << dialect.queries.size() << "> kQueries{";
  for (const Query& query : dialect.queries)
    out << "\n    " << query.name << ',';
  out << "};\n\n} // namespace " << name << "\n\n";
}

void write_migrations(std::ostream& out, std::string_view name, const Dialect& dialect) {
  std::string title(name);
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  out << "/// Schema files in the order in which they are applied.\n"
      << "inline constexpr std::array<Migration, " << dialect.migrations.size() << "> k" << title
      << "Migrations{";
  for (const Migration& migration : dialect.migrations) {
    out << "\n    Migration{" << migration.version << ", \"" << migration.name << "\", "
        << literal(migration.text, migration.place) << "},";
  }
  out << "};\n\n";
}

constexpr std::string_view kHead =
    R"(// Written by tools/sqlgen from src/store/sql. Change the .sql files.
#pragma once

#include <array>
#include <string_view>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Woverlength-strings"

namespace perdure::store::sql {

/// One named statement. Both texts live as long as the program.
struct Query {
  std::string_view name;
  std::string_view text;
};

/// One schema file. Both texts live as long as the program.
struct Migration {
  int version;
  std::string_view name;
  std::string_view text;
};

)";

std::string generate(const fs::path& folder) {
  const std::vector<fs::path> schema = sql_files(folder / "schema");
  const std::vector<fs::path> queries = sql_files(folder / "queries");
  std::map<std::string_view, Dialect> dialects{{"sqlite", {}}};
  for (const auto* files : {&schema, &queries}) {
    for (const fs::path& file : *files) {
      if (const auto dialect = dialect_of(file)) dialects[*dialect];
    }
  }
  for (const fs::path& file : schema) {
    for_dialects(file, dialects, [migration = read_migration(file)](Dialect& dialect) {
      dialect.migrations.push_back(migration);
    });
  }
  Dialect shared;
  for (const fs::path& file : queries) {
    if (!dialect_of(file)) {
      const auto found = read_queries(file);
      shared.queries.insert(shared.queries.end(), found.begin(), found.end());
    }
    for_dialects(file, dialects, [found = read_queries(file)](Dialect& dialect) {
      dialect.queries.insert(dialect.queries.end(), found.begin(), found.end());
    });
  }
  std::ostringstream out;
  out << kHead;
  for (auto& [name, dialect] : dialects) {
    check_queries(dialect);
    check_migrations(dialect);
    write_queries(out, name, dialect);
    write_migrations(out, name, dialect);
  }
  write_queries(out, "shared", shared);
  out << "} // namespace perdure::store::sql\n\n#pragma clang diagnostic pop\n";
  return out.str();
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: sqlgen SQL_FOLDER OUTPUT_HEADER\n";
    return 2;
  }
  try {
    const std::string header = generate(argv[1]);
    const fs::path output = argv[2];
    if (output.has_parent_path()) fs::create_directories(output.parent_path());
    std::ofstream out(output, std::ios::binary);
    out << header;
    out.flush();
    if (!out) throw std::runtime_error(output.string() + ": cannot be written");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
