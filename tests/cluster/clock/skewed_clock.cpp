// Preloaded into a program under test: its wall clock goes wrong by so many seconds as the variable
// PERDURE_TEST_CLOCK_OFFSET says. Other clocks stay right.
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace {

long offset() {
  static const long seconds = [] {
    const char* text = std::getenv("PERDURE_TEST_CLOCK_OFFSET");
    return text ? std::atol(text) : 0;
  }();
  return seconds;
}

} // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto failed = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  const bool of_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (failed == 0 && of_wall) time->tv_sec += offset();
  return failed;
}

int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  const int failed = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1'000;
  return failed;
}

time_t time(time_t* into) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}

} // extern "C"
