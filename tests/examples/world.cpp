#include "examples/world.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <mutex>

#include "agent.h"
#include "approval.h"
#include "fan_out.h"
#include "saga.h"

namespace perdure::examples {

namespace {

struct World {
  std::mutex mutex;
  std::vector<std::string> done;
  std::map<std::string, std::pair<int, std::string>> broken;
  int file = -1;
  int now = 0;
  int most = 0;
};

World& world() {
  static World one;
  return one;
}

/// Does something: on return it has happened, and nothing takes it back.
class Deed {
public:
  explicit Deed(const std::string& step) {
    auto& all = world();
    const std::lock_guard lock(all.mutex);
    all.most = std::max(all.most, ++all.now);
    auto& [times, error] = all.broken[step];
    if (times > 0) {
      --times;
      --all.now;
      throw StepError(error, "the world does not allow " + step);
    }
    all.done.push_back(step);
    if (all.file < 0) return;
    const auto line = step + "\n";
    if (::write(all.file, line.data(), line.size()) < 0 || ::fsync(all.file) != 0) std::abort();
  }
  Deed(const Deed&) = delete;
  Deed& operator=(const Deed&) = delete;
  ~Deed() {
    const std::lock_guard lock(world().mutex);
    --world().now;
  }
};

} // namespace

void begin_world(const std::string& journal) {
  auto& all = world();
  const std::lock_guard lock(all.mutex);
  all.done.clear();
  all.broken.clear();
  all.most = 0;
  if (all.file >= 0) ::close(all.file);
  all.file = -1;
  if (journal.empty()) return;
  all.file = ::open(journal.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (all.file < 0) std::abort();
}

void break_step(const std::string& step, int times, const std::string& error) {
  const std::lock_guard lock(world().mutex);
  world().broken[step] = {times, error};
}

std::vector<std::string> done() {
  const std::lock_guard lock(world().mutex);
  return world().done;
}

int most_at_once() {
  const std::lock_guard lock(world().mutex);
  return world().most;
}

std::map<std::string, int> read_journal(const std::string& path) {
  std::map<std::string, int> counts;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    ++counts[line];
  return counts;
}

} // namespace perdure::examples

using perdure::examples::Deed;

namespace saga {

std::string book(const std::string& what, const std::string& trip_id) {
  const Deed deed(what == "car" ? "rent-car" : "book-" + what);
  return what + " " + trip_id;
}

void cancel(const std::string& booking) {
  const Deed deed("cancel-" + booking.substr(0, booking.find(' ')));
}

} // namespace saga

namespace approval {

void notify(const std::string& who, const std::string& text) {
  const auto since = text.find("since ");
  const Deed deed(since == std::string::npos ? "ask " + who
                                             : "remind " + who + ", " + text.substr(since + 6));
}

void pay(const std::string&) { const Deed deed("pay"); }

} // namespace approval

namespace fan_out {

std::vector<std::string> list_pages(const std::string& url) {
  const Deed deed("list-pages");
  std::vector<std::string> pages;
  for (int i = 1; i <= 7; ++i)
    pages.push_back(url + "/" + std::to_string(i));
  return pages;
}

std::string fetch(const std::string& page) {
  const Deed deed("fetch " + page);
  return "text of " + page;
}

int count_words(const std::string& text) {
  const Deed deed("count " + text.substr(8));
  return 3;
}

} // namespace fan_out

namespace agent {

// A turn is one tool and then the answer.
Thought think(const std::vector<std::string>& memory) {
  const auto turns = std::ranges::count_if(
      memory, [](const std::string& line) { return line.starts_with("user: "); });
  const bool asked = memory.back().starts_with("clock: ");
  const auto number = std::to_string(turns) + (asked ? ".2" : ".1");
  const Deed deed("think " + number);
  if (asked) return {.tool = "", .text = "answer " + std::to_string(turns)};
  return {.tool = "clock", .text = number};
}

std::string call_tool(const std::string& tool, const std::string& text) {
  const Deed deed("tool " + text + ": " + tool);
  return "noon";
}

void answer(const std::string&, const std::string& text) { const Deed deed(text); }

} // namespace agent
