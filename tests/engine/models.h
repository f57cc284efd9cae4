// Models of the engine's tests, built from text.
#pragma once

#include <string>
#include <string_view>

namespace perdure::engine {

/// A BPMN file with one executable process around the elements.
[[nodiscard]] std::string model(std::string_view process_id, std::string_view elements);
/// A flow named `from_to`; the condition is FEEL without the leading `=`.
[[nodiscard]] std::string flow(std::string_view from, std::string_view to,
                               std::string_view condition = {});
[[nodiscard]] std::string service(std::string_view id, std::string_view type, int retries = 3);

/// start -> A (payment) -> B (stock) -> C (shipping) -> gateway -> Big when amount > 100, else
/// Small
[[nodiscard]] std::string order_model();
/// start -> Work (a task of type `type`) -> end
[[nodiscard]] std::string work_model(std::string_view process_id = "work",
                                     std::string_view type = "work", int retries = 3);
/// The same with a priority.
[[nodiscard]] std::string priority_model(std::string_view process_id, int priority);
/// start -> timer of ten seconds -> end
[[nodiscard]] std::string timer_model();
/// start -> Review (user task) -> end
[[nodiscard]] std::string review_model();
/// start -> a loop of gateways without any work that ends only when `again` is false -> end
[[nodiscard]] std::string runaway_model();

} // namespace perdure::engine
