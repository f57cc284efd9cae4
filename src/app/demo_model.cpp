#include "app/demo_model.h"

// The folder examples/ is on this file's include path; CMake rebuilds it when the model changes.
asm(R"(
  .section .rodata
  .global perdure_demo_model_begin
  .global perdure_demo_model_end
perdure_demo_model_begin:
  .incbin "order-fulfilment.bpmn"
perdure_demo_model_end:
  .text
)");

extern "C" {
extern const char perdure_demo_model_begin;
extern const char perdure_demo_model_end;
}

namespace perdure::app {

std::string_view demo_model() { return {&perdure_demo_model_begin, &perdure_demo_model_end}; }

} // namespace perdure::app
