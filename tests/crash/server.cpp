#include "crash/server.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <utility>
#include <vector>

#include "base/json.h"
#include "store/sqlite/owner_lock.h"

namespace perdure::crash_test {

Server::Server(std::string folder, std::string log_file)
    : folder_(std::move(folder)), log_file_(std::move(log_file)) {}

std::unique_ptr<Server> Server::on_postgres(std::string url, std::string log_file) {
  auto server = std::make_unique<Server>("", std::move(log_file));
  server->database_ = std::move(url);
  return server;
}

std::vector<std::string> Server::database_options() const {
  if (database_.empty()) return {"--data", folder_};
  return {"--database", database_};
}

void Server::spawn() {
  process_.reset();
  std::vector<std::string> arguments{"serve", "--json", "--host", "127.0.0.1", "--port", "0"};
  const auto options = database_options();
  arguments.insert(arguments.end(), options.begin(), options.end());
  process_.emplace(arguments, log_file_);
  pid_ = process_->pid();
}

std::string Server::start() {
  spawn();
  std::string text;
  while (!text.ends_with('}')) {
    const auto line = process_->line();
    if (line.empty()) {
      ADD_FAILURE() << "the server ended before it was ready: exit code " << process_->wait()
                    << ", " << errors();
      return {};
    }
    text += line;
  }
  const auto said = json::parse(text);
  EXPECT_TRUE(said) << text;
  auto url = said ? cli_test::text_at(cli_test::at(*said, "url")) : std::string();
  if (database_.empty()) expect_owner(url);
  return url;
}

void Server::expect_owner(const std::string& url) const {
  const auto owner = store::sqlite::OwnerLock::read(folder_);
  if (owner && *owner) {
    EXPECT_EQ((*owner)->url, url);
    EXPECT_EQ((*owner)->pid, process_->pid());
  } else {
    ADD_FAILURE() << "nobody owns " << folder_ << " although the server is ready";
  }
}

bool Server::start_and_kill(int milliseconds) {
  spawn();
  const bool served = process_->speaks_within(milliseconds);
  kill();
  return !served;
}

void Server::kill() {
  process_->signal(SIGKILL);
  EXPECT_EQ(process_->wait(), 128 + SIGKILL) << "it had ended by itself: " << errors();
}

int Server::stop() {
  process_->signal(SIGTERM);
  return process_->wait();
}

void Server::kill_for_good() const {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

std::string Server::errors() const {
  std::ifstream log(log_file_);
  std::string found;
  for (std::string line; std::getline(log, line);) {
    if (line.find(" info ") == std::string::npos) found += line + "\n";
  }
  return found;
}

} // namespace perdure::crash_test
