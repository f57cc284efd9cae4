// Servers and handlers for the tests of this room.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "net/server.h"
#include "net/test_socket.h"

namespace perdure::net {

inline std::unique_ptr<Server> serve(Handler handler, ServerOptions options = {}) {
  auto server = Server::listen(std::move(options), std::move(handler));
  EXPECT_TRUE(server.has_value());
  return std::move(*server);
}

/// Answers with method, path and body.
inline void echo(const Request& request, const Responder& to) {
  to.send(
      {.body = request.method + " " + request.path + request.body, .content_type = "text/plain"});
}

inline std::string get(const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n";
}
inline std::string post(const std::string& target, const std::string& body) {
  return "POST " + target +
         " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}
inline std::string body_of(const std::string& answer) {
  const auto at = answer.find("\r\n\r\n");
  return at == std::string::npos ? "no answer: " + answer : answer.substr(at + 4);
}
inline int status_of(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? std::atoi(answer.c_str() + 9) : 0;
}

/// A queue between threads.
template <class T>
class Queue {
public:
  void put(T value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
    filled_.notify_one();
  }
  T take() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [&] { return !values_.empty(); });
    auto value = std::move(values_.front());
    values_.pop_front();
    return value;
  }

private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<T> values_;
};

/// Where a handler leaves requests that the test answers later.
class Parking {
public:
  void park(Responder responder, std::string name = {}) {
    parked_.put({std::move(responder), std::move(name)});
  }
  Responder take() { return take_named().first; }
  std::pair<Responder, std::string> take_named() { return parked_.take(); }

private:
  Queue<std::pair<Responder, std::string>> parked_;
};

inline void allow_open_files(rlim_t count) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(count, limit.rlim_max));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace perdure::net
