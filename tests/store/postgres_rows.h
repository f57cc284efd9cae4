// A PostgreSQL database with the rows of data/representative.sql, which are written for SQLite.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "forbidden.h"
#include "postgres_fixture.h"

namespace perdure::store::postgres {

/// In a database of its own the lists for SQLite are understood: a number is a time or a boolean
/// where a column asks for one.
constexpr const char* kUnderstandNumbers = R"(
CREATE FUNCTION public.time_of(bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE
  AS 'SELECT to_timestamp($1 / 1000.0)';
CREATE FUNCTION public.time_of(integer) RETURNS timestamptz LANGUAGE sql IMMUTABLE
  AS 'SELECT to_timestamp($1 / 1000.0)';
CREATE CAST (bigint AS timestamptz) WITH FUNCTION public.time_of(bigint) AS ASSIGNMENT;
CREATE CAST (integer AS timestamptz) WITH FUNCTION public.time_of(integer) AS ASSIGNMENT;
UPDATE pg_cast SET castcontext = 'a' WHERE castsource = 'integer'::regtype
  AND casttarget = 'boolean'::regtype;
)";

/// Options for the schema `rows` in a database of this name.
inline Options rows_options(const std::string& database) {
  auto options = options_of("rows");
  options.url.replace(options.url.find("/postgres?"), 10, "/" + database + "?");
  return options;
}

/// Makes the database, with the schema `rows` and the rows in it.
inline std::unique_ptr<Connection> representative_database(const std::string& database) {
  EXPECT_TRUE(connect("public")->script("CREATE DATABASE " + database));
  auto connection = Connection::open(reader_connection(rows_options(database))).value();
  EXPECT_TRUE(connection->script(kUnderstandNumbers));
  EXPECT_TRUE(connection->script("CREATE SCHEMA rows"));
  for (const auto& migration : sql::kPostgresMigrations) {
    EXPECT_TRUE(connection->script(migration.text)) << migration.name;
  }
  const auto filled = connection->script(test::read_file(test::data_file("representative.sql")));
  EXPECT_TRUE(filled) << filled.error().message;
  return connection;
}

} // namespace perdure::store::postgres
