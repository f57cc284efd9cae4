// FactReader: the recorded facts of one instance, one after the other, read page by page.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "facts/fact.h"
#include "facts/view.h"
#include "perdure/result.h"

namespace perdure::engine {

/// Facts of an instance behind a sequence, at most so many. Thread-safe.
using ReadHistory = std::function<Result<std::vector<facts::HistoryEvent>>(
    Key instance_id, std::int64_t after_sequence, std::int64_t limit)>;

class FactReader {
public:
  /// `read` outlives it.
  FactReader(const ReadHistory& read, Key instance_id) : read_(read), instance_id_(instance_id) {}

  /// None at the end, and after an error.
  [[nodiscard]] std::optional<facts::Fact> next();
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

private:
  const ReadHistory& read_;
  Key instance_id_;
  std::deque<facts::HistoryEvent> page_;
  std::int64_t after_ = 0;
  bool end_ = false;
  std::optional<Error> error_;
};

} // namespace perdure::engine
