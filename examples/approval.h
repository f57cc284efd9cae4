// A person decides: asked, reminded each day, and after three days the next one is asked. It may
// take weeks; the program may be restarted meanwhile as often as it likes.
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "perdure/flow.h"

namespace approval {

using namespace std::chrono_literals;

struct Expense {
  std::string id;
  int amount = 0;
  std::vector<std::string> approvers; ///< the next one is asked when the one before stays silent
};
BOOST_DESCRIBE_STRUCT(Expense, (), (id, amount, approvers))

/// What a person answers: the event "decision".
struct Decision {
  std::string by;
  bool approved = false;
};
BOOST_DESCRIBE_STRUCT(Decision, (), (by, approved))

// The world; each program has its own.
void notify(const std::string& who, const std::string& text);
void pay(const std::string& expense_id);

inline perdure::Task<std::string> approve(perdure::Flow& flow, Expense expense) {
  for (const auto& approver : expense.approvers) {
    co_await flow.run("ask " + approver,
                      [&] { notify(approver, "please decide on " + expense.id); });
    for (int day = 1; day <= 3; ++day) {
      const auto when = approver + ", day " + std::to_string(day);
      auto answer =
          co_await flow.wait<Decision>("wait for " + when, "decision", {.timeout = 24h}).outcome();
      if (answer.succeeded()) {
        const auto decision = std::move(answer).value();
        if (!decision.approved) co_return "rejected by " + decision.by;
        co_await flow.run("pay", [&] { pay(expense.id); });
        co_return "approved by " + decision.by;
      }
      if (day < 3) {
        co_await flow.run("remind " + when, [&] {
          notify(approver, expense.id + " waits since day " + std::to_string(day));
        });
      }
    }
  }
  co_return "nobody decided";
}

} // namespace approval
