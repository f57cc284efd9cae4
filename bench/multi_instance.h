// What one item of a large multi-instance costs, and whether that depends on how many there are.
#pragma once

#include <string>

#include "bench/figures.h"

namespace perdure::bench {

/// Figures of a parallel multi-instance of `few` and of `many` items, each a service task, on
/// SQLite: microseconds an item, and how the two compare (1: linear).
void multi_instance(Figures& figures, const std::string& folder, int few, int many);

} // namespace perdure::bench
