// Asks for an approval, and answers for the person.
//
//   approval expenses.db, or   approval postgres://USER@HOST/NAME
#include "approval.h"

#include <cstdio>

namespace approval {

void notify(const std::string& who, const std::string& text) {
  std::printf("to %s: %s\n", who.c_str(), text.c_str());
}

void pay(const std::string& expense_id) { std::printf("paid: %s\n", expense_id.c_str()); }

} // namespace approval

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: approval DATABASE\n");
    return 2;
  }
  perdure::Engine engine{perdure::database(argv[1])};
  engine.define<approval::approve>("approval");
  const approval::Expense expense{"e-1", 120, {"manager", "director"}};
  const auto id = engine.start("approval", expense, {.id = expense.id});
  if (!id) {
    std::fprintf(stderr, "%s\n", id.error().message.c_str());
    return 1;
  }
  // Sent before it is waited for, it is kept until then. With an id it counts once.
  if (const auto sent = engine.send(*id, "decision", approval::Decision{"manager", true}, "d-1");
      !sent) {
    std::fprintf(stderr, "%s\n", sent.error().message.c_str());
    return 1;
  }
  const auto outcome = engine.result<std::string>(*id);
  std::printf("%s\n", outcome ? outcome->c_str() : outcome.error().message.c_str());
  return outcome ? 0 : 1;
}
