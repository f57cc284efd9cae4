#include "program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/json.h"

namespace perdure::cli_test {

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Starts the program with these as its outputs.
pid_t spawn(const std::string& program, std::vector<std::string> arguments, int out, int error,
            const std::vector<std::string>& added = {}) {
  arguments.insert(arguments.begin(), program);
  std::vector<char*> line;
  for (auto& argument : arguments)
    line.push_back(argument.data());
  line.push_back(nullptr);
  std::string home = "HOME=" + std::filesystem::temp_directory_path().string();
  std::string user = "USER=tester";
  // What sanitizers are told must reach the program too.
  std::vector<std::string> texts{home, user};
  texts.insert(texts.end(), added.begin(), added.end());
  for (const char* name :
       {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "ASAN_SYMBOLIZER_PATH"}) {
    if (const char* value = std::getenv(name)) texts.push_back(std::string(name) + "=" + value);
  }
  std::vector<char*> environment;
  for (auto& text : texts)
    environment.push_back(text.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO);
  pid_t pid = -1;
  const int failed =
      ::posix_spawn(&pid, program.c_str(), &actions, nullptr, line.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(failed, 0) << program;
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "perdure-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

Value Ended::json() const {
  const auto parsed = json::parse(out);
  EXPECT_TRUE(parsed) << out << error;
  return parsed ? *parsed : Value();
}

Ended run_program(const std::string& program, std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  const int out = ::open(folder.path("out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const int error = ::open(folder.path("error").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const pid_t pid = spawn(program, std::move(arguments), out, error);
  ::close(out);
  ::close(error);
  Ended ended;
  ended.code = wait_for(pid);
  ended.out = read_file(folder.path("out"));
  ended.error = read_file(folder.path("error"));
  return ended;
}

std::string perdure_binary() {
  const char* chosen = std::getenv("PERDURE_BINARY");
  return chosen != nullptr ? chosen : PERDURE_BINARY;
}

Ended perdure(std::vector<std::string> arguments) {
  return run_program(perdure_binary(), std::move(arguments));
}

Running::Running(std::vector<std::string> arguments, const std::string& error_file,
                 const std::vector<std::string>& environment) {
  std::array<int, 2> pipe{};
  EXPECT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  int error = STDERR_FILENO;
  if (!error_file.empty()) {
    error = ::open(error_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  pid_ = spawn(perdure_binary(), std::move(arguments), pipe[1], error, environment);
  ::close(pipe[1]);
  if (error != STDERR_FILENO) ::close(error);
  out_ = ::fdopen(pipe[0], "r");
}

Running::~Running() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    wait_for(pid_);
  }
  std::fclose(out_);
}

std::string Running::line() {
  std::string text;
  for (int c = std::fgetc(out_); c != EOF && c != '\n'; c = std::fgetc(out_)) {
    text += static_cast<char>(c);
  }
  return text;
}

std::string Running::line_with(const std::string& text) {
  while (std::feof(out_) == 0) {
    std::string next = line();
    if (next.find(text) != std::string::npos) return next;
  }
  return {};
}

bool Running::speaks_within(int milliseconds) const {
  pollfd watched{.fd = ::fileno(out_), .events = POLLIN, .revents = 0};
  return ::poll(&watched, 1, milliseconds) > 0;
}

void Running::signal(int number) const { ::kill(pid_, number); }

int Running::wait() {
  const int code = wait_for(pid_);
  pid_ = -1;
  return code;
}

Value member_of(const Value& value, const char* member) {
  const auto* found = value.find(member);
  EXPECT_NE(found, nullptr) << member << " in " << json::write(value);
  return found != nullptr ? *found : Value();
}

Value element_of(const Value& value, int index) {
  const auto* list = value.as<Array>();
  if (list == nullptr || static_cast<std::size_t>(index) >= list->size()) {
    ADD_FAILURE() << index << " in " << json::write(value);
    return {};
  }
  return (*list)[static_cast<std::size_t>(index)];
}

std::string text_at(const Value& value) {
  const auto* text = value.as<std::string>();
  EXPECT_NE(text, nullptr) << json::write(value);
  return text != nullptr ? *text : std::string();
}

std::size_t size_of(const Value& list) {
  const auto* array = list.as<Array>();
  EXPECT_NE(array, nullptr) << json::write(list);
  return array != nullptr ? array->size() : 0;
}

std::string ask_model() {
  return R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
             xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="test">
  <process id="ask" isExecutable="true">
    <startEvent id="begin"/>
    <sequenceFlow id="f1" sourceRef="begin" targetRef="pay"/>
    <serviceTask id="pay" name="Pay">
      <extensionElements><zeebe:taskDefinition type="payment"/></extensionElements>
    </serviceTask>
    <sequenceFlow id="f2" sourceRef="pay" targetRef="approve"/>
    <userTask id="approve" name="Approve"/>
    <sequenceFlow id="f3" sourceRef="approve" targetRef="rest"/>
    <intermediateCatchEvent id="rest" name="Rest">
      <timerEventDefinition><timeDuration>PT0.05S</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
    <sequenceFlow id="f4" sourceRef="rest" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>
)";
}

} // namespace perdure::cli_test
