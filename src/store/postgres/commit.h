// Commit: the units of a batch as few transactions, one when nobody is in the way.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/postgres/connection.h"
#include "store/store.h"

namespace perdure::store::postgres {

/// Writes units. Those whose instance moved on are left out (conflict); those whose instance
/// another node holds at the moment are written in a second transaction, after it. When a rule
/// refuses the batch it is halved until only the guilty unit is left out.
class Commit {
public:
  /// A transaction that is open on the link already becomes the first one.
  Commit(Link& link, std::span<const Unit> units, const std::string& channel, Counters& counters);

  /// One outcome per unit, in order. An error: nothing was written, or, when the connection was cut
  /// during the COMMIT, nobody knows.
  [[nodiscard]] Result<std::vector<UnitOutcome>> run();

private:
  using Part = std::vector<std::size_t>; ///< numbers of units, in the order of their instances
  enum class Locking {
    free, ///< take what no other node holds
    wait, ///< wait for other nodes, as long as the lock timeout allows
    skip, ///< after that: what another node still holds is a conflict
  };

  [[nodiscard]] Result<void> write(Part part, Locking locking);
  [[nodiscard]] Result<void> write_halves(const Part& part);
  /// One transaction. Units that cannot be in it get their outcome, or are put off to busy_.
  [[nodiscard]] Result<void> transact(const Part& part, Locking locking);
  /// Begins the transaction, locks the part's instances and gives the units that may be written.
  [[nodiscard]] Result<Part> lock(const Part& part, Locking locking);
  /// Of those the units whose events nobody else delivers; the others have their outcome.
  [[nodiscard]] Result<Part> lock_events(Part part);
  [[nodiscard]] Result<void> save(const Part& winners);
  void settle(const Part& part, const Error& error);

  Link& link_;
  Connection* connection_ = nullptr; ///< of the open transaction
  std::span<const Unit> units_;
  const std::string& channel_;
  Counters& counters_;
  std::vector<std::optional<UnitOutcome>> outcomes_;
  Part busy_;
  bool any_saved_ = false;
};

} // namespace perdure::store::postgres
