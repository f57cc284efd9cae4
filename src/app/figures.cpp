#include "app/figures.h"

namespace perdure::app {

namespace {

/// What the writers of both databases count.
template <class Counters>
std::vector<api::Figure> writer_figures(const Counters& counters) {
  return {
      {"perdure_store_statements_total", "Statements that the writer has run.",
       counters.statements},
      {"perdure_store_rows_total", "Rows that the writer has written.", counters.rows},
      {"perdure_store_commits_total", "Transactions that reached the disk.", counters.commits},
      {"perdure_store_refused_total", "Changes of instances that the schema refused.",
       counters.refused},
  };
}

} // namespace

std::vector<api::Figure> figures_of(const store::sqlite::Counters& counters) {
  return writer_figures(counters);
}

std::vector<api::Figure> figures_of(const store::postgres::Counters& counters) {
  auto figures = writer_figures(counters);
  const auto& sessions = counters.sessions;
  figures.push_back({"perdure_postgres_conflicts_total",
                     "Changes of instances that another node overtook.", counters.conflicts});
  figures.push_back({"perdure_postgres_connections_opened_total",
                     "Connections opened, the first ones and those after a loss.",
                     sessions.opened});
  figures.push_back({"perdure_postgres_connections_lost_total",
                     "Connections found dead when they were needed.", sessions.lost});
  figures.push_back({"perdure_postgres_connections_refused_total",
                     "Tries to open a connection that failed.", sessions.refused});
  figures.push_back({"perdure_postgres_reader_waits_total",
                     "Queries that waited because all connections for them were in use.",
                     sessions.reader_waits});
  figures.push_back({"perdure_postgres_readers_lent", "Connections for queries in use.",
                     sessions.readers_lent, true});
  return figures;
}

} // namespace perdure::app
