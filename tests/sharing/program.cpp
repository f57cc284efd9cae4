#include "sharing/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/describe/class.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include "perdure/flow.h"

namespace perdure::sharing {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kHeld = "held ";

// ---- in the child -----------------------------------------------------------------------------

struct Order {
  std::string id;
};
BOOST_DESCRIBE_STRUCT(Order, (), (id))

/// What the child's callbacks know.
struct Surroundings {
  Habit habit;
  int journal = -1;
  int reports = -1;
  int gate = -1;
  std::mutex mutex;

  void report(const std::string& line) {
    const std::lock_guard lock(mutex);
    write_all(reports, line + "\n");
  }
  static void write_all(int descriptor, const std::string& text) {
    if (::write(descriptor, text.data(), text.size()) != std::ssize(text)) std::abort();
  }
};

Surroundings& surroundings() {
  static Surroundings one;
  return one;
}

/// Does something in the world; on return it has happened.
void act(const std::string& step, const std::string& order) {
  auto& own = surroundings();
  if (step == own.habit.held_step) {
    own.report(std::string(kHeld) + order);
    char byte = 0;
    while (::read(own.gate, &byte, 1) != 1) {
    }
  }
  Surroundings::write_all(own.journal, step + " " + order + " " + own.habit.node_name + "\n");
  if (::fsync(own.journal) != 0) std::abort();
}

const RunOptions kPatient{.max_attempts = 10}; // an interruption counts as one

Task<std::string> fulfil(Flow& flow, Order order) {
  const auto id = order.id;
  co_await flow.run("reserve", [id] { act("reserve", id); }, kPatient);
  co_await flow.run("charge", [id] { act("charge", id); }, kPatient);
  co_await flow.sleep("cool-down", 20ms);
  co_await flow.run("ship", [id] { act("ship", id); }, kPatient);
  co_return "shipped " + id;
}

/// Takes orders until there is a line "end".
int live(const Storage& storage, int orders) {
  Engine engine{storage};
  engine.define<fulfil>("order");
  if (const auto opened = engine.open(); !opened) {
    surroundings().report(opened.error().message);
    return 1;
  }
  surroundings().report("open");
  std::string line;
  for (char byte = 0; ::read(orders, &byte, 1) == 1;) {
    if (byte != '\n') {
      line += byte;
      continue;
    }
    if (line == "end") return 0;
    const auto started = engine.start("order", Order{line}, {.id = line});
    surroundings().report(started ? "taken " + line : started.error().message);
    line.clear();
  }
  return 1;
}

struct Pipe {
  int out = -1;
  int in = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  return {ends[0], ends[1]};
}

} // namespace

// ---- in the test ------------------------------------------------------------------------------

std::map<std::string, int> Journal::lines() const {
  std::map<std::string, int> counts;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);)
    ++counts[line];
  return counts;
}

int Journal::count(const std::string& step, const std::string& order) const {
  int count = 0;
  for (const auto& [line, times] : lines()) {
    if (line.starts_with(step + " " + order + " ")) count += times;
  }
  return count;
}

Program::Program(const Database& database, const Journal& journal, const Habit& habit) {
  const auto orders = make_pipe();
  const auto reports = make_pipe();
  const auto gate = make_pipe();
  const auto storage = database.storage(habit.node_name, habit.lease);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    auto& own = surroundings();
    own.habit = habit;
    own.reports = reports.in;
    own.gate = gate.out;
    own.journal = ::open(journal.path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ::_exit(own.journal < 0 ? 2 : live(storage, orders.out));
  }
  ::close(orders.out);
  ::close(reports.in);
  ::close(gate.out);
  orders_ = orders.in;
  reports_ = reports.out;
  gate_ = gate.in;
  EXPECT_EQ(hear(), "open");
}

Program::~Program() {
  kill();
  for (const int descriptor : {orders_, reports_, gate_})
    ::close(descriptor);
}

std::string Program::line() {
  std::string line;
  for (char byte = 0; ::read(reports_, &byte, 1) == 1 && byte != '\n';)
    line += byte;
  if (line.starts_with(kHeld)) {
    held_.insert(line.substr(kHeld.size()));
    ++begun_;
  }
  return line;
}

std::string Program::hear() {
  for (;;) {
    auto heard = line();
    if (!heard.starts_with(kHeld)) return heard;
  }
}

void Program::tell(const std::string& line) const {
  EXPECT_EQ(::write(orders_, (line + "\n").data(), line.size() + 1), std::ssize(line) + 1);
}

void Program::take_order(const std::string& order) {
  tell(order);
  EXPECT_EQ(hear(), "taken " + order);
}

const std::set<std::string>& Program::held(std::size_t times) {
  while (begun_ < times) {
    if (!line().starts_with(kHeld)) {
      ADD_FAILURE() << "The program has ended, or says something else.";
      break;
    }
  }
  return held_;
}

void Program::let_go(int times) {
  const std::string bytes(static_cast<std::size_t>(times), '.');
  EXPECT_EQ(::write(gate_, bytes.data(), bytes.size()), times);
}

void Program::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void Program::freeze() {
  ::kill(pid_, SIGSTOP);
  int status = 0;
  EXPECT_EQ(::waitpid(pid_, &status, WUNTRACED), pid_);
  EXPECT_TRUE(WIFSTOPPED(status));
}

void Program::thaw() const { ::kill(pid_, SIGCONT); }

void Program::end() {
  tell("end");
  int status = 0;
  EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  pid_ = -1;
}

} // namespace perdure::sharing
