// Any bytes, in any two pieces, are either a request, refused with a status and a reason, or not
// yet complete: the pieces make no difference. Targets and paths that parse can be routed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "net/request_parser.h"
#include "net/router.h"

namespace {

using perdure::net::Request;
using perdure::net::RequestParser;
using Progress = RequestParser::Progress;

struct Outcome {
  Progress progress = Progress::need_more;
  int refused = 0;
  Request request;
};

Outcome parse(std::string_view bytes, std::size_t piece) {
  RequestParser parser({.max_header_bytes = 2'048, .max_body_bytes = 256});
  std::string waiting;
  while (parser.progress() == Progress::need_more && !bytes.empty()) {
    waiting += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    const auto used = parser.feed(waiting);
    PERDURE_CHECK(used <= waiting.size());
    waiting.erase(0, used);
  }
  Outcome outcome{.progress = parser.progress(), .refused = 0, .request = {}};
  if (outcome.progress == Progress::refused) {
    PERDURE_CHECK(!parser.refusal().detail.empty());
    outcome.refused = parser.refusal().status;
    PERDURE_CHECK(outcome.refused >= 400 && outcome.refused < 600);
  }
  if (outcome.progress == Progress::complete) {
    static_cast<void>(parser.keep_alive());
    outcome.request = parser.take_request();
    PERDURE_CHECK(outcome.request.body.size() <= 256);
    PERDURE_CHECK(perdure::utf8::is_valid(outcome.request.path));
  }
  return outcome;
}

const perdure::net::Router& router() {
  static const perdure::net::Router table({
      {"GET", "/a/{x}", {}},
      {"GET", "/a/b/{y}/c", {}},
      {"POST", "/a/{x}/{rest...}", {}},
  });
  return table;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto whole = parse(bytes, std::max<std::size_t>(bytes.size(), 1));
  const auto pieces = parse(bytes, std::max<std::size_t>(data[0], 1));
  PERDURE_CHECK((whole.progress == Progress::complete) == (pieces.progress == Progress::complete));
  PERDURE_CHECK(whole.request.target == pieces.request.target);
  PERDURE_CHECK(whole.request.headers == pieces.request.headers);
  PERDURE_CHECK(whole.request.body == pieces.request.body);
  static_cast<void>(router().match(whole.request.method, whole.request.raw_path()));
  return 0;
}
