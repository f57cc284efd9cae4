// Proxy: stands between a node and PostgreSQL on a Unix socket and can cut the node's connection
// around the COMMIT of a writing transaction: before the server gets it, or after the server has
// answered it and before the node reads that; or let it stand still in the middle of one.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/program.h"

namespace perdure::cluster_test {

enum class Cut {
  before_commit, ///< the transaction is rolled back
  after_commit,  ///< it is committed, and the node cannot know
};

class Proxy {
public:
  /// Forwards to the server whose socket is in that folder.
  explicit Proxy(std::string server_folder);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  /// Of the database behind it.
  [[nodiscard]] std::string url() const;
  /// The next writing transaction is cut.
  void cut_next(Cut cut);
  /// The node of the next writing transaction is as if frozen in the middle of it: what it has sent
  /// is at the server, which waits for the rest. The other connections go on.
  void freeze_next();
  /// Of every hundred writing transactions, so many are cut from now on; which and how is drawn.
  void cut_by_lot(int percent, std::uint64_t seed);
  /// How many were cut so far.
  [[nodiscard]] int cuts() const { return cuts_; }

private:
  class Session;

  void accept_all();
  /// Whether this COMMIT is to be cut; asked once for each writing transaction.
  [[nodiscard]] bool takes(Cut& cut);
  [[nodiscard]] bool freezes();

  const std::string server_;
  cli_test::TemporaryFolder folder_;
  int listener_ = -1;
  int stop_event_ = -1;
  std::mutex mutex_;
  bool armed_ = false;
  bool freezing_ = false;
  Cut next_ = Cut::before_commit;
  int percent_ = 0;
  std::uint64_t draw_ = 0;
  std::atomic<int> cuts_{0};
  std::thread acceptor_;
  std::vector<std::thread> sessions_; ///< of the acceptor's thread, then of the destructor
};

} // namespace perdure::cluster_test
