// Watch: hears of other nodes' commits and keeps the database's time. What it hears is a hint: who
// sleeps also looks by itself.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "store/postgres/clock.h"
#include "store/postgres/connection.h"

namespace perdure::store::postgres {

/// A connection and a thread of its own; comes back by itself when the connection is lost.
class Watch {
public:
  /// `clock` is measured every two seconds. Commits of the writer that `own` counts are passed
  /// over. `wake` is called on the thread after commits of others, at most forty times a second,
  /// and after each new connection, which may have missed some.
  Watch(ConnectionOptions options, std::string channel, std::shared_ptr<DatabaseClock> clock,
        std::shared_ptr<const Counters> own, std::function<void()> wake);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  /// Ends the thread.
  ~Watch();

private:
  void run();
  /// Until the connection is lost or the end.
  void listen(Connection& connection);
  /// True: the end was asked for. Waits for the socket too unless it is negative.
  [[nodiscard]] bool stopped_within(Duration limit, int socket);

  ConnectionOptions options_;
  std::string channel_;
  std::shared_ptr<DatabaseClock> clock_;
  std::shared_ptr<const Counters> own_;
  std::function<void()> wake_;
  int stop_event_;
  std::thread thread_;
};

} // namespace perdure::store::postgres
