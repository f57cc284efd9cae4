#include "app/verification.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/key.h"

namespace perdure::app {

namespace {

constexpr std::string_view kDescriptor = "fd:";

std::string text_of(const Value& object, std::string_view name) {
  const auto* member = object.find(name);
  const auto* text = member != nullptr ? member->as<std::string>() : nullptr;
  return text != nullptr ? *text : std::string();
}

std::int64_t int_of(const Value& object, std::string_view name) {
  const auto* member = object.find(name);
  const auto* number = member != nullptr ? member->as<std::int64_t>() : nullptr;
  return number != nullptr ? *number : 0;
}

std::string line_of(const Value& misfit) {
  const auto* missing = misfit.find("missing_version");
  const auto version = std::to_string(int_of(misfit, "version"));
  auto line = text_of(misfit, "flow") + " " + version + ", run " + text_of(misfit, "run_id");
  if (missing != nullptr && *missing == Value(true)) {
    return line + ": the program does not define version " + version +
           "; define it as long as it has runs.\n";
  }
  return line + ": the code asks for " + text_of(misfit, "asked") + " where the run has recorded " +
         text_of(misfit, "recorded") + ". " + text_of(misfit, "advice") + "\n";
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor, bytes.data(), bytes.size());
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

} // namespace

Value to_value(const Verification& verification) {
  Array misfits;
  for (const auto& misfit : verification.misfits) {
    misfits.push_back(Object{{"run_id", key_text(misfit.run_id)},
                             {"flow", misfit.flow},
                             {"version", misfit.version},
                             {"missing_version", misfit.missing_version},
                             {"asked", misfit.asked},
                             {"recorded", misfit.recorded},
                             {"advice", misfit.advice}});
  }
  return Object{{"runs", verification.runs}, {"misfits", std::move(misfits)}};
}

bool is_fit(const Value& report) {
  const auto* misfits = report.find("misfits");
  const auto* list = misfits != nullptr ? misfits->as<Array>() : nullptr;
  return list != nullptr && list->empty();
}

std::string verification_text(const Value& report) {
  if (const auto error = text_of(report, "error"); !error.empty()) return error + "\n";
  std::string text;
  std::int64_t count = 0;
  const auto* misfits = report.find("misfits");
  const auto* list = misfits != nullptr ? misfits->as<Array>() : nullptr;
  for (const auto& misfit : list != nullptr ? *list : Array()) {
    text += line_of(misfit);
    ++count;
  }
  const auto runs = int_of(report, "runs");
  return text + std::to_string(runs - count) + " of " + std::to_string(runs) +
         " runs fit this program.\n";
}

std::optional<VerifyRequest> verify_request() {
  const char* to = std::getenv(kVerifyVariable);
  if (to == nullptr || *to == '\0') return std::nullopt;
  VerifyRequest request{.to = to, .options = {}};
  if (const char* ended = std::getenv(kVerifyEndedVariable)) {
    const std::string_view text(ended);
    std::from_chars(text.data(), text.data() + text.size(), request.options.ended);
  }
  return request;
}

void end_with_report(const VerifyRequest& request, const Result<Verification>& verification) {
  const Value report = verification ? to_value(*verification)
                                    : Value(Object{{"error", verification.error().message}});
  const std::string_view to = request.to;
  if (to.starts_with(kDescriptor)) {
    int descriptor = STDOUT_FILENO;
    const auto number = to.substr(kDescriptor.size());
    std::from_chars(number.data(), number.data() + number.size(), descriptor);
    write_all(descriptor, json::write(report) + "\n");
  } else {
    const auto text = to == "json" ? json::write(report) + "\n" : verification_text(report);
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
  // Nothing of the program goes on: it was about to work.
  std::_Exit(is_fit(report) ? 0 : 1);
}

} // namespace perdure::app
