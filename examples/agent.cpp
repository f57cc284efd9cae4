// Talks: each line of the input is a message. The agent here only knows the time of day.
//
//   agent talks.db, or   agent postgres://USER@HOST/NAME
#include "agent.h"

#include <cstdio>
#include <iostream>

namespace agent {

Thought think(const std::vector<std::string>& memory) {
  const auto& last = memory.back();
  if (last.starts_with("clock: ")) return {.tool = "", .text = "It is " + last.substr(7)};
  if (last.contains("time")) return {.tool = "clock", .text = "now"};
  return {.tool = "", .text = "You have said " + last.substr(last.find(' ') + 1)};
}

std::string call_tool(const std::string& tool, const std::string&) {
  return tool == "clock" ? "noon" : "unknown";
}

void answer(const std::string& talk_id, const std::string& text) {
  std::printf("%s: %s\n", talk_id.c_str(), text.c_str());
}

} // namespace agent

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: agent DATABASE\n");
    return 2;
  }
  perdure::Engine engine{perdure::database(argv[1])};
  engine.define<agent::talk>("talk");
  const auto id = engine.start("talk", agent::Talk{.id = "t-1"});
  if (!id) {
    std::fprintf(stderr, "%s\n", id.error().message.c_str());
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    if (const auto sent = engine.send(*id, "user.message", line); !sent) {
      std::fprintf(stderr, "%s\n", sent.error().message.c_str());
      return 1;
    }
  }
  return 0;
}
