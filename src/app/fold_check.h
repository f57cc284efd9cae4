// FoldCheck: folds the history of one instance and compares the outcome with its rows (design
// property 3: the fold is the authority). Pure.
#pragma once

#include <string>
#include <vector>

#include "base/key.h"
#include "store/store.h"

namespace perdure::app {

/// One column that is not what the history says.
struct Difference {
  Key instance_id = kNoKey;
  std::string table;
  std::string key;    ///< of the row, as text
  std::string column; ///< empty when the whole row is missing, or is one too many
  std::string stored; ///< as the database has it; "no row" when it has none
  std::string folded; ///< as the history says
  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Every difference, in the order of tables, keys and columns. History that cannot be folded (an
/// unknown fact, a gap, a fact that does not fit) is one of table history_event.
[[nodiscard]] std::vector<Difference> compare_with_fold(const store::InstanceRecord& record);

/// "instance 12: token 14: column state is waiting, but the history says completed".
[[nodiscard]] std::string to_text(const Difference& difference);

} // namespace perdure::app
