#include "sharing/database.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <map>

#include "app/fold_check.h"
#include "store/store.h"

namespace perdure::sharing {

namespace {

std::unique_ptr<store::postgres::Connection> connect(const store::postgres::Options& options) {
  auto opened = store::postgres::Connection::open(store::postgres::reader_connection(options));
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(*opened);
}

/// With nothing that writes, and no thread, so that the caller may fork.
store::InstanceRecord record(const store::postgres::Options& options, Key run) {
  auto opened = store::postgres::open(options);
  if (!opened) throw std::runtime_error(opened.error().message);
  auto found = opened->reader->record(run);
  if (!found || !*found) throw std::runtime_error("there is no run " + key_text(run));
  return std::move(**found);
}

} // namespace

std::string server_url(const std::string& role) {
  return "postgres://" + role + "@/postgres?host=" + server_folder();
}

Database::Database() {
  static int count = 0;
  options_ = {.url = server_url(),
              .schema = "sharing" + std::to_string(++count),
              .migrate = store::postgres::Migrate::refuse,
              .node_name = "test"};
}

Storage Database::storage(const std::string& node_name, std::chrono::milliseconds lease) const {
  return postgres(options_.url,
                  {.schema = options_.schema, .node_name = node_name, .lease = lease});
}

bool Database::wait_until(const std::function<bool()>& is_so) const {
  constexpr int kUntilNextLook = 100; // ms; some rows change without a commit that is told
  const auto connection = connect(options_);
  EXPECT_TRUE(connection->script("LISTEN " + store::postgres::channel_of(options_)));
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    pollfd told{.fd = connection->socket(), .events = POLLIN, .revents = 0};
    ::poll(&told, 1, kUntilNextLook);
    EXPECT_TRUE(connection->notifications());
  }
  return true;
}

void Database::run(const std::string& statements) const {
  const auto done = connect(options_)->script(statements);
  EXPECT_TRUE(done) << done.error().message;
}

std::vector<std::string> Database::rows(const std::string& query) const {
  const auto found = connect(options_)->text_rows(query);
  EXPECT_TRUE(found) << query << ": " << found.error().message;
  std::vector<std::string> lines;
  for (const auto& row : found.value_or(std::vector<std::vector<std::string>>())) {
    lines.emplace_back();
    for (const auto& column : row)
      lines.back() += (lines.back().empty() ? "" : " ") + column;
  }
  return lines;
}

std::vector<Key> Database::runs() const {
  std::vector<Key> ids;
  for (const auto& id : rows("SELECT id FROM process_instance ORDER BY id"))
    ids.push_back(std::stoll(id));
  return ids;
}

std::int64_t Database::count(const std::string& status) const {
  return std::stoll(
      rows("SELECT count(*) FROM process_instance WHERE status = '" + status + "'").front());
}

std::vector<std::string> Database::attempts(Key run) const {
  return rows(
      "SELECT step_record.slug, step_attempt.state, split_part(step_attempt.worker_id, ':', 1) "
      "FROM step_attempt JOIN step_record ON step_record.id = step_attempt.step_id "
      "WHERE step_attempt.worker_id IS NOT NULL AND step_attempt.instance_id = " +
      std::to_string(run) + " ORDER BY step_record.ordinal, step_attempt.number");
}

std::string Database::image(Key run) const {
  std::string text;
  const auto id = std::to_string(run);
  for (const auto& [table, column] :
       std::map<std::string, std::string>{{"process_instance", "id"},
                                          {"step_record", "instance_id"},
                                          {"step_attempt", "instance_id"},
                                          {"scope", "instance_id"},
                                          {"timer", "instance_id"},
                                          {"history_event", "instance_id"}}) {
    auto lines =
        rows("SELECT row_to_json(t)::text FROM " + table + " AS t WHERE " + column + " = " + id);
    std::ranges::sort(lines);
    for (const auto& line : lines)
      text += table + " " + line + "\n";
  }
  return text;
}

void Database::expect_done_once(Key run) const {
  SCOPED_TRACE("run " + key_text(run));
  const auto seen = record(options_, run);
  EXPECT_EQ(seen.rows.instance.status, facts::InstanceStatus::completed);
  for (const auto& difference : app::compare_with_fold(seen))
    ADD_FAILURE() << app::to_text(difference);
  std::map<Key, int> succeeded;
  for (const auto& slot : seen.rows.attempts.slots()) {
    EXPECT_NE(slot.row.state, facts::AttemptState::started);
    if (slot.row.state == facts::AttemptState::succeeded) ++succeeded[slot.row.step_id];
  }
  for (const auto& slot : seen.rows.steps.slots()) {
    EXPECT_EQ(slot.row.status, facts::StepStatus::completed) << slot.row.slug;
    const bool is_run = slot.row.type == facts::StepType::run;
    EXPECT_EQ(succeeded[slot.row.id], is_run ? 1 : 0) << slot.row.slug;
  }
  const auto ends =
      std::ranges::count(seen.history, "flow_step_ended", &facts::HistoryEvent::event_type);
  EXPECT_EQ(ends, std::ssize(seen.rows.steps.slots()));
  EXPECT_EQ(std::ranges::count(seen.history, "flow_ended", &facts::HistoryEvent::event_type), 1);
}

} // namespace perdure::sharing
