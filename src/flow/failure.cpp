#include "flow/failure.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "flow/storable.h"
#include "perdure/step.h"

namespace perdure::flow {

namespace {

std::string type_text(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : type.name();
}

} // namespace

Failure failure_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const NonRetryable& failed) {
    return {readable(failed.name()), readable(failed.what()), false};
  } catch (const StepFailed& failed) {
    // The step in it has had its attempts: the same again would end the same.
    return {readable(failed.name()), readable(failed.what()), false};
  } catch (const StepError& failed) {
    return {readable(failed.name()), readable(failed.what())};
  } catch (const BadValue& bad) {
    return {"BadValue", readable(bad.what()), false};
  } catch (const std::exception& failed) {
    return {type_text(typeid(failed)), readable(failed.what())};
  } catch (const Cancelled&) {
    return {"Cancelled", "The flow was cancelled.", false};
  } catch (...) {
    return {"Unknown", "An exception was thrown that is no std::exception."};
  }
}

} // namespace perdure::flow
