// The workers of the demo: they stand for a warehouse, a payment provider and the like.
#pragma once

#include "engine/engine.h"

namespace perdure::app {

/// How many orders the demo starts, and which of them the payment provider refuses twice.
inline constexpr int kDemoOrders = 10;
inline constexpr int kUnluckyOrder = 7;

/// The variables of the order with that number, from 1.
[[nodiscard]] Value demo_order(int number);

/// Registers a handler for every task type of the demo's model. Before engine.start().
void add_demo_workers(engine::Engine& engine);

} // namespace perdure::app
