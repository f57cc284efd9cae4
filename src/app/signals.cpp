#include "app/signals.h"

#include <cerrno>
#include <csignal>
#include <ctime>

namespace perdure::app {

namespace {

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

} // namespace

StopSignal::StopSignal() {
  const sigset_t signals = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN); // a reader of ours that goes away must not end the server
}

StopSignal::~StopSignal() {
  const sigset_t signals = stop_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

bool StopSignal::wait_for(Duration limit) {
  const sigset_t signals = stop_signals();
  const timespec time{.tv_sec = limit.count() / 1'000,
                      .tv_nsec = limit.count() % 1'000 * 1'000'000};
  // EINTR (another signal) ends the wait early, which every caller can bear.
  if (!stopped_ && ::sigtimedwait(&signals, nullptr, &time) > 0) stopped_ = true;
  return stopped_;
}

void StopSignal::wait() {
  while (!wait_for(Duration(3'600'000))) {
  }
}

} // namespace perdure::app
