// The model of the demo, inside the binary so that it runs anywhere.
#pragma once

#include <string_view>

namespace perdure::app {

inline constexpr std::string_view kDemoModelName = "order-fulfilment.bpmn";

/// The bytes of examples/order-fulfilment.bpmn.
[[nodiscard]] std::string_view demo_model();

} // namespace perdure::app
