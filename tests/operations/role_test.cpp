// The roles of docs/operations.md: its very statements are run, and a server lives with them.
#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <sstream>

#include "operations/place.h"
#include "store/postgres/connection.h"

namespace perdure::operations_test {
namespace {

using store::postgres::Connection;
using testing::HasSubstr;

/// The blocks of SQL in the documentation.
std::vector<std::string> documented_statements() {
  std::ifstream file(std::string(PERDURE_SOURCE_DIR) + "/docs/operations.md");
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```sql") {
      blocks.emplace_back();
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

class RoleTest : public testing::Test {
protected:
  static std::string url_of(const std::string& role) {
    auto url = cluster()->url();
    const auto user = std::string("perdure@");
    return url.replace(url.find(user), user.size(), role + "@");
  }
  static std::unique_ptr<Connection> connect(const std::string& url) {
    auto connection = Connection::open({.url = url});
    EXPECT_TRUE(connection) << connection.error().message;
    return std::move(*connection);
  }

  TemporaryFolder folder_;
};

TEST_F(RoleTest, NodesLiveWithWhatIsDocumented) {
  if (cluster() == nullptr) GTEST_SKIP() << "There is no PostgreSQL to be started.";
  const auto blocks = documented_statements();
  ASSERT_EQ(blocks.size(), 2U);
  const auto administrator = connect(cluster()->url());
  const auto made = administrator->script(blocks[0]);
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_TRUE(administrator->script("REVOKE CREATE ON DATABASE postgres FROM PUBLIC"));
  const Place owner(url_of("perdure_owner"));
  EXPECT_EQ(owner.run({"migrate"}).code, 0);
  const auto granted = connect(owner.database())->script(blocks[1]);
  ASSERT_TRUE(granted) << granted.error().message;

  const auto config = folder_.write("perdure.toml", "migrate_on_start = false\n");
  const Place node(url_of("perdure_node"), {"--config", config});
  Running server(node.line({"serve", "--port", "0", "--json"}));
  ASSERT_NE(server.line_with("url"), "");
  node.deploy(folder_);
  const auto id = node.start();
  const auto nap = node.start("nap");
  const auto cancelled = node.start();
  node.complete(id);
  EXPECT_EQ(node.status(id), "completed");
  EXPECT_EQ(node.run({"cancel", cancelled}).code, 0);
  while (node.status(nap) == "running") {
  }
  EXPECT_EQ(node.run({"purge", "--older-than", "P0D"}).code, 0);
  EXPECT_EQ(node.run({"show", id}).code, 3);
  const auto runs = node.start();
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);

  const auto role = connect(node.database());
  for (const auto* text :
       {"CREATE TABLE perdure.extra (id bigint)", "DROP TABLE perdure.history_event",
        "TRUNCATE perdure.history_event", "ALTER TABLE perdure.token DISABLE TRIGGER ALL",
        "DROP TRIGGER history_event_kept ON perdure.history_event",
        "UPDATE perdure.history_event SET payload = '{}'",
        "UPDATE perdure.audit_entry SET actor = 'x'", "DELETE FROM perdure.history_event",
        "DELETE FROM perdure.process_definition", "DELETE FROM perdure.schema_migration",
        "SELECT setval('perdure.key_block', 1)"}) {
    EXPECT_FALSE(role->script(text)) << text;
  }
  EXPECT_EQ(node.status(runs), "running");
  ASSERT_TRUE(administrator->script("GRANT CREATE ON DATABASE postgres TO perdure_owner"));
  owner.expect_sound();
}

} // namespace
} // namespace perdure::operations_test
