#include "cluster/nodes.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <utility>

#include "base/json.h"

namespace perdure::cluster_test {

void Addresses::set(std::size_t node, std::string url) {
  {
    const std::lock_guard lock(mutex_);
    urls_[node] = std::move(url);
  }
  changed_.notify_all();
}

void Addresses::wait_for_change(std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  if (!called_off_) changed_.wait_for(lock, limit);
}

void Addresses::call_off() {
  {
    const std::lock_guard lock(mutex_);
    called_off_ = true;
  }
  changed_.notify_all();
}

std::string Addresses::of(std::size_t node) const {
  const std::lock_guard lock(mutex_);
  return urls_[node];
}

Node::Node(std::size_t number, std::vector<std::string> options, std::string log_file,
           Addresses& addresses)
    : number_(number),
      options_(std::move(options)),
      log_file_(std::move(log_file)),
      addresses_(addresses) {}

void Node::start() {
  std::vector<std::string> arguments{"serve", "--json", "--host", "127.0.0.1", "--port", "0"};
  arguments.insert(arguments.end(), options_.begin(), options_.end());
  process_.emplace(arguments, log_file_, environment_);
  pid_ = process_->pid();
  std::string text;
  while (!text.ends_with('}')) {
    const auto line = process_->line();
    if (line.empty()) {
      ADD_FAILURE() << "node " << number_ << " ended before it was ready: exit code "
                    << process_->wait() << "\n"
                    << log_lines("");
      return;
    }
    text += line;
  }
  const auto said = json::parse(text);
  ASSERT_TRUE(said) << text;
  addresses_.set(number_, cli_test::text_at(cli_test::at(*said, "url")));
}

void Node::kill() {
  addresses_.set(number_, "");
  process_->signal(SIGKILL);
  frozen_ = false;
  EXPECT_EQ(process_->wait(), 128 + SIGKILL) << "node " << number_ << " had ended by itself:\n"
                                             << log_lines("");
  pid_ = -1;
}

void Node::stop() {
  if (!process_) return;
  if (frozen_) thaw();
  process_->signal(SIGTERM);
  EXPECT_EQ(process_->wait(), 0) << log_lines("");
  pid_ = -1;
  addresses_.set(number_, "");
  process_.reset();
}

void Node::freeze() {
  process_->signal(SIGSTOP);
  frozen_ = true;
}

void Node::thaw() {
  process_->signal(SIGCONT);
  frozen_ = false;
}

void Node::kill_for_good() const {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

std::string Node::log_lines(const std::string& text) const {
  std::ifstream log(log_file_);
  std::string found;
  for (std::string line; std::getline(log, line);) {
    if (line.find(text) != std::string::npos) found += line + "\n";
  }
  return found;
}

} // namespace perdure::cluster_test
