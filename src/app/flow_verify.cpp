#include "app/flow_verify.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/verification.h"
#include "base/json.h"

namespace perdure::app {

namespace {

using cli::ExitCode;

constexpr int kNotFound = 127;

/// Starts the program; -1 when that is not possible. Its report goes to `descriptor`.
pid_t start(const cli::FlowVerifyCommand& command, int descriptor, int other_end) {
  ::setenv(kVerifyVariable, ("fd:" + std::to_string(descriptor)).c_str(), 1);
  ::setenv(kVerifyEndedVariable, std::to_string(command.ended).c_str(), 1);
  auto words = command.program;
  std::vector<char*> arguments;
  for (auto& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const auto child = ::fork();
  if (child != 0) return child;
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr); // this program holds some back for itself
  std::signal(SIGPIPE, SIG_DFL);
  ::close(other_end);
  ::execvp(arguments.front(), arguments.data());
  std::_Exit(kNotFound);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> bytes{};
  while (true) {
    const auto count = ::read(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

} // namespace

ExitCode run_flow_verify(const cli::FlowVerifyCommand& command, Surroundings& surroundings) {
  auto& output = surroundings.output;
  const auto& program = command.program.front();
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    output.complain("no pipe can be made to hear of " + program + "; try again");
    return ExitCode::failed;
  }
  const auto child = start(command, ends[1], ends[0]);
  ::close(ends[1]);
  const auto text = child > 0 ? read_all(ends[0]) : std::string();
  ::close(ends[0]);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const auto report = json::parse(text);
  if (!report) {
    const bool missing = WIFEXITED(status) && WEXITSTATUS(status) == kNotFound;
    output.complain(missing ? program + " cannot be run; check its name"
                            : program +
                                  " ended without having opened an engine, so that nothing "
                                  "was verified");
    return ExitCode::failed;
  }
  if (output.json()) {
    output.print_json(*report);
  } else {
    output.print(verification_text(*report));
  }
  return is_fit(*report) ? ExitCode::ok : ExitCode::failed;
}

} // namespace perdure::app
