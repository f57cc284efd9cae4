// Plain sockets for the tests of this room: a peer that says exactly what a test wants, byte by
// byte.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace perdure::net {

/// One TCP connection. Reading gives up after ten seconds, so that a broken server fails a test.
class TestSocket {
public:
  explicit TestSocket(int descriptor) : descriptor_(descriptor) {
    const timeval limit{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  static TestSocket unconnected() { return TestSocket(::socket(AF_INET, SOCK_STREAM, 0)); }
  static TestSocket connected(std::uint16_t port) {
    auto made = unconnected();
    EXPECT_TRUE(made.connect(port));
    return made;
  }
  TestSocket(TestSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  TestSocket& operator=(TestSocket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~TestSocket() { close(); }

  bool connect(std::uint16_t port) const {
    const auto address = loopback(port);
    return ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
  /// Closes with a reset instead of an orderly end.
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }
  void close_sending() const { ::shutdown(descriptor_, SHUT_WR); }

  /// False when the peer is gone.
  [[nodiscard]] bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  /// Everything up to the peer's end.
  [[nodiscard]] std::string receive_all() {
    while (receive_some()) {
    }
    return std::exchange(input_, {});
  }
  /// Everything up to and with `mark`; what has come so far when the connection ends before it.
  [[nodiscard]] std::string receive_to(std::string_view mark) {
    for (;;) {
      const auto at = input_.find(mark);
      if (at != std::string::npos) return take(at + mark.size());
      if (!receive_some()) return std::exchange(input_, {});
    }
  }
  /// One answer with its Content-Length: head and body.
  [[nodiscard]] std::string receive_answer(bool has_body = true) {
    auto answer = receive_to("\r\n\r\n");
    constexpr std::string_view kLength = "Content-Length: ";
    const auto at = answer.find(kLength);
    if (at == std::string::npos || !has_body) return answer;
    const auto length = std::strtoul(answer.c_str() + at + kLength.size(), nullptr, 10);
    while (input_.size() < length && receive_some()) {
    }
    return answer + take(std::min<std::size_t>(length, input_.size()));
  }
  [[nodiscard]] bool receive_some() {
    char bytes[16 * 1024];
    const auto count = ::recv(descriptor_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    input_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

private:
  std::string take(std::size_t count) {
    auto taken = input_.substr(0, count);
    input_.erase(0, count);
    return taken;
  }

  int descriptor_ = -1;
  std::string input_;
};

/// A listening socket on a free port of the loopback address.
class TestListener {
public:
  TestListener() : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    auto address = TestSocket::loopback(0);
    EXPECT_EQ(::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(descriptor_, 16), 0);
    socklen_t size = sizeof address;
    ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  TestListener(const TestListener&) = delete;
  TestListener& operator=(const TestListener&) = delete;
  ~TestListener() { ::close(descriptor_); }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] TestSocket accept() const {
    return TestSocket(::accept(descriptor_, nullptr, nullptr));
  }

private:
  int descriptor_;
  std::uint16_t port_ = 0;
};

} // namespace perdure::net
