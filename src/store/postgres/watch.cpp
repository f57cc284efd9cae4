#include "store/postgres/watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace perdure::store::postgres {

namespace {

constexpr Duration kMeasureEvery{2'000};
constexpr Duration kLeastPause{25};
constexpr Duration kReconnectPause{500};

} // namespace

Watch::Watch(ConnectionOptions options, std::string channel, std::shared_ptr<DatabaseClock> clock,
             std::shared_ptr<const Counters> own, std::function<void()> wake)
    : options_(std::move(options)),
      channel_(std::move(channel)),
      clock_(std::move(clock)),
      own_(std::move(own)),
      wake_(std::move(wake)),
      stop_event_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this] { run(); }) {}

Watch::~Watch() {
  ::eventfd_write(stop_event_, 1);
  thread_.join();
  ::close(stop_event_);
}

bool Watch::stopped_within(Duration limit, int socket) {
  std::array<pollfd, 2> waits{pollfd{.fd = stop_event_, .events = POLLIN, .revents = 0},
                              pollfd{.fd = socket, .events = POLLIN, .revents = 0}};
  ::poll(waits.data(), waits.size(), static_cast<int>(limit.count()));
  return waits[0].revents != 0;
}

void Watch::run() {
  do {
    auto connection = Connection::open(options_);
    // The channel is made of a checked schema name.
    if (connection && (*connection)->script("LISTEN " + channel_)) {
      wake_();
      listen(**connection);
    }
  } while (!stopped_within(kReconnectPause, -1));
}

void Watch::listen(Connection& connection) {
  auto next_measure = std::chrono::steady_clock::now();
  for (;;) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= next_measure) {
      if (!clock_->measure(connection)) return;
      next_measure = now + kMeasureEvery;
    }
    const auto left = std::chrono::ceil<Duration>(next_measure - now);
    if (stopped_within(left, connection.socket())) {
      ::eventfd_write(stop_event_, 1); // for run() to see
      return;
    }
    const auto heard = connection.notifications();
    if (!heard) return;
    const auto own = own_->process.load(std::memory_order_relaxed);
    if (std::ranges::all_of(*heard, [&](int sender) { return sender == own; })) continue;
    wake_();
    // What comes meanwhile is one wake-up.
    if (stopped_within(kLeastPause, -1)) return;
  }
}

} // namespace perdure::store::postgres
