// A server of its own for every test: an engine on a SQLite file in a fresh folder, listening on a
// free port.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "api/api.h"
#include "base/clock.h"
#include "base/log.h"
#include "net/client.h"
#include "net/server.h"
#include "store/store.h"

namespace perdure::api {

class WallClock final : public Clock {
public:
  [[nodiscard]] Instant now() const override;
};

/// What the server answered.
struct Reply {
  int status = 0;
  net::Fields headers;
  std::string text;
  Value body; ///< null when it is no JSON

  /// The member at the end of a path such as "items/0/id"; null when there is none.
  [[nodiscard]] Value at(std::string_view path) const;
  /// The same as text; empty when it is no string.
  [[nodiscard]] std::string text_at(std::string_view path) const;
  /// How many entries the list has.
  [[nodiscard]] std::size_t count(std::string_view path) const;
  [[nodiscard]] std::string header(std::string_view name) const;
};

/// One connection of its own: one thread at a time.
class Caller {
public:
  explicit Caller(const std::string& url, const net::ClientOptions& options = {});

  Reply get(std::string_view target);
  Reply post(std::string_view target, std::string_view body = {}, net::Fields headers = {});
  /// Without expecting an answer: false when there was none.
  bool try_post(std::string_view target, std::string_view body);

private:
  net::Client client_;
};

class ServerTest : public ::testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  [[nodiscard]] Caller caller() const { return Caller(server_->url()); }
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] net::ServerCounters counters() const { return server_->counters(); }
  /// Waits until the server has told so; fails the test when it never does.
  void wait_until(const std::function<bool()>& holds) const;

  Reply get(std::string_view target) { return caller_->get(target); }
  Reply post(std::string_view target, std::string_view body = {}, net::Fields headers = {}) {
    return caller_->post(target, body, std::move(headers));
  }
  /// Deploys a model that must be good.
  void deploy(const std::string& xml);
  /// Starts an instance of the process and returns its id.
  std::string start(std::string_view process_id, std::string_view variables = "{}");
  /// Locks one task of the type for the worker and returns its id; waits for it.
  std::string fetch_one(std::string_view type, std::string_view worker = "w1");
  /// All that the API tells of an instance, to compare before and after.
  std::string all_of(const std::string& instance_id);

private:
  WallClock clock_;
  NullLog log_;
  std::filesystem::path folder_;
  std::unique_ptr<store::Reader> reader_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<net::Server> server_;
  std::string url_;
  std::unique_ptr<Caller> caller_;
};

// ---- models
// ---------------------------------------------------------------------------------------

/// A BPMN file with one executable process around the elements.
[[nodiscard]] std::string model(std::string_view process_id, std::string_view elements);
/// start -> service task "Pay" of type `payment`, two attempts -> user task "Review" -> end
[[nodiscard]] std::string order_model();
/// start -> service task "Work" of type `work` -> end
[[nodiscard]] std::string work_model();
/// The same as a later version, where `Work` is called `Labour`.
[[nodiscard]] std::string renamed_work_model();
/// start -> a gateway whose only condition reads `ok` -> end; without ok = true an incident opens.
[[nodiscard]] std::string gateway_model();
/// start -> fork -> a service task, a user task, a timer, a sub-process with a user task -> join ->
/// end
[[nodiscard]] std::string fork_model();

} // namespace perdure::api
