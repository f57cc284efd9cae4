// A member of an awaited value that is held by reference across another await.
#include "pattern.h"

namespace member_of_await {

using namespace coroutine_check;

inline std::string join(const std::string& first, const std::string& second) {
  return first + second;
}
inline Task<std::string> both(Flow&) {
  co_return join((co_await later(Counted(kText))).text, (co_await later(Counted("!"))).text);
}

inline void check() { expect(finish(both) == kText + "!", "the result is wrong"); }

} // namespace member_of_await
