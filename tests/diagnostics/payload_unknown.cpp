// The payload of an event has no form in JSON.
// error: Perdure does not know how to read this type: describe it with Boost.Describe
#include "perdure/flow.h"

namespace {

struct Payment {
  int amount;
};
[[maybe_unused]] perdure::Task<void> fulfil(perdure::Flow& flow) {
  co_await flow.wait<Payment>("capture", "payment.received");
}

} // namespace
