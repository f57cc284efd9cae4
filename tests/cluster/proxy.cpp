#include "cluster/proxy.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace perdure::cluster_test {

namespace {

constexpr std::string_view kSocketName = "/.s.PGSQL.5432";
/// Names of prepared statements, as src/store/sql has them.
constexpr std::string_view kCommit = "transaction_commit";
constexpr std::string_view kWrites[] = {"wakeup_notify", "process_definition_insert"};

sockaddr_un address_of(const std::string& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto path = folder + std::string(kSocketName);
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof address.sun_path - 1));
  return address;
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

/// Bytes of one direction, taken apart into the protocol's messages.
class Messages {
public:
  /// A client's first message has no type.
  explicit Messages(bool starts_plain) : plain_(starts_plain) {}

  void add(std::string_view bytes) { bytes_ += bytes; }
  /// The next whole message, with its head.
  std::optional<std::string> next() {
    const std::size_t head = plain_ ? 4 : 5;
    if (bytes_.size() < head) return std::nullopt;
    const auto size = number_at(bytes_, head - 4) + head - 4;
    if (bytes_.size() < size) return std::nullopt;
    auto message = bytes_.substr(0, size);
    bytes_.erase(0, size);
    plain_ = false;
    return message;
  }

private:
  bool plain_;
  std::string bytes_;
};

/// The statement that a Bind message is for; empty for other messages.
std::string_view statement_of(std::string_view message) {
  if (message.empty() || message.front() != 'B') return {};
  const auto portal_end = message.find('\0', 5);
  if (portal_end == std::string_view::npos) return {};
  return message.substr(portal_end + 1, message.find('\0', portal_end + 1) - portal_end - 1);
}

bool is_committed(std::string_view message) {
  return message.starts_with('C') && message.find("COMMIT") != std::string_view::npos;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

} // namespace

/// One connection of a node, with its twin to the server.
class Proxy::Session {
public:
  Session(Proxy& proxy, int client, int stop_event)
      : proxy_(proxy), client_(client), stop_event_(stop_event) {
    server_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = address_of(proxy.server_);
    connected_ =
        ::connect(server_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Session() {
    ::close(client_);
    ::close(server_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void run() {
    std::array<pollfd, 3> waits{pollfd{.fd = stop_event_, .events = POLLIN, .revents = 0},
                                pollfd{.fd = client_, .events = POLLIN, .revents = 0},
                                pollfd{.fd = server_, .events = POLLIN, .revents = 0}};
    while (connected_) {
      if (::poll(waits.data(), waits.size(), -1) < 0) continue;
      if (waits[0].revents != 0) return;
      if (waits[1].revents != 0 && !from_client()) return;
      if (frozen_) waits[1].fd = -1;
      if (waits[2].revents != 0 && !from_server()) return;
    }
  }

private:
  /// False: the connection is over.
  bool from_client() {
    if (!receive(client_, asked_)) return false;
    while (const auto message = asked_.next()) {
      const auto statement = statement_of(*message);
      if (std::ranges::find(kWrites, statement) != std::end(kWrites)) {
        writes_ = true;
        frozen_ = proxy_.freezes();
        if (frozen_) return true;
      }
      if (statement == kCommit && std::exchange(writes_, false) && proxy_.takes(cut_)) {
        if (cut_ == Cut::before_commit) return false;
        holds_back_ = true;
      }
      if (!send_all(server_, *message)) return false;
    }
    return true;
  }

  bool from_server() {
    if (!receive(server_, answered_)) return false;
    while (const auto message = answered_.next()) {
      if (holds_back_ && is_committed(*message)) return false;
      if (!holds_back_ && !send_all(client_, *message)) return false;
    }
    return true;
  }

  static bool receive(int socket, Messages& messages) {
    std::array<char, 65'536> buffer{};
    const auto got = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (got <= 0) return false;
    messages.add({buffer.data(), static_cast<std::size_t>(got)});
    return true;
  }

  Proxy& proxy_;
  int client_;
  int server_ = -1;
  int stop_event_;
  bool connected_ = false;
  bool writes_ = false; ///< the open transaction has written
  bool frozen_ = false;
  bool holds_back_ = false; ///< the node sees no more answers
  Cut cut_ = Cut::before_commit;
  Messages asked_{true};
  Messages answered_{false};
};

Proxy::Proxy(std::string server_folder)
    : server_(std::move(server_folder)), stop_event_(::eventfd(0, EFD_CLOEXEC)) {
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = address_of(folder_.path(""));
  EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(listener_, 64), 0);
  acceptor_ = std::thread([this] { accept_all(); });
}

Proxy::~Proxy() {
  ::eventfd_write(stop_event_, 1);
  acceptor_.join();
  for (auto& session : sessions_)
    session.join();
  ::close(listener_);
  ::close(stop_event_);
}

std::string Proxy::url() const { return "postgres://perdure@/postgres?host=" + folder_.path(""); }

void Proxy::cut_next(Cut cut) {
  const std::lock_guard lock(mutex_);
  armed_ = true;
  next_ = cut;
}

void Proxy::freeze_next() {
  const std::lock_guard lock(mutex_);
  freezing_ = true;
}

bool Proxy::freezes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(freezing_, false);
}

void Proxy::cut_by_lot(int percent, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  percent_ = percent;
  draw_ = seed;
}

bool Proxy::takes(Cut& cut) {
  const std::lock_guard lock(mutex_);
  cut = next_;
  bool taken = std::exchange(armed_, false);
  if (!taken && percent_ > 0) {
    draw_ = draw_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    taken = static_cast<int>((draw_ >> 33U) % 100) < percent_;
    cut = (draw_ >> 62U) % 2 == 0 ? Cut::before_commit : Cut::after_commit;
  }
  if (taken) ++cuts_;
  return taken;
}

void Proxy::accept_all() {
  std::array<pollfd, 2> waits{pollfd{.fd = stop_event_, .events = POLLIN, .revents = 0},
                              pollfd{.fd = listener_, .events = POLLIN, .revents = 0}};
  for (;;) {
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents != 0) return;
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    sessions_.emplace_back([this, client] { Session(*this, client, stop_event_).run(); });
  }
}

} // namespace perdure::cluster_test
