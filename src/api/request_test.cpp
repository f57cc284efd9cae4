// Requests: what is read, and that every mistake is told with its place.
#include "api/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "facts/rows.h"

namespace perdure::api {
namespace {

using ::testing::HasSubstr;

const Limits kLimits;

Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value) << text;
  return value ? std::move(*value) : Value();
}

/// The body of a problem.
Value problem_of(const std::optional<net::Response>& response) {
  if (!response) return {};
  EXPECT_EQ(response->content_type, net::kProblemType);
  return parsed(response->body);
}

std::string text_at(const Value& problem, std::size_t index, std::string_view member) {
  const auto* errors = problem.find("errors");
  const auto* list = errors ? errors->as<Array>() : nullptr;
  if (list == nullptr || index >= list->size()) return "<none>";
  const auto* value = (*list)[index].find(member);
  return value && value->is_string() ? *value->as<std::string>() : "<none>";
}

net::Request with_query(net::Fields query) {
  net::Request request;
  request.query_parameters = std::move(query);
  return request;
}

TEST(BodyReader, ReadsEveryKindOfMember) {
  const auto body = parsed(R"({"name":"w","text":"","count":7,"wait":1500,"yes":true,"key":"12",
      "number_key":13,"process":14,"types":["a",{"type":"b"}],"variables":{"x":1},"none":null})");
  BodyReader reader(*body.as<Object>(), kLimits);
  EXPECT_EQ(reader.name("name"), "w");
  EXPECT_EQ(reader.text("text"), "");
  EXPECT_EQ(reader.integer("count", {1, 10}), 7);
  EXPECT_EQ(reader.milliseconds("wait", {}), Duration(1500));
  EXPECT_TRUE(reader.flag("yes"));
  EXPECT_EQ(reader.key("key"), 12);
  EXPECT_EQ(reader.key("number_key"), 13);
  EXPECT_EQ(reader.required_name_or_integer("process"), "14");
  EXPECT_EQ(reader.required_types("types"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reader.object("variables"), Value(Object{{"x", 1}}));
  EXPECT_EQ(reader.name("none"), std::nullopt);
  EXPECT_EQ(reader.name("absent"), std::nullopt);
  EXPECT_FALSE(reader.finish());
}

TEST(BodyReader, TellsEveryMistakeWithItsPointer) {
  const auto body = parsed(R"({"count":"7","a/b~":1})");
  BodyReader reader(*body.as<Object>(), kLimits);
  EXPECT_EQ(reader.integer("count", {}), std::nullopt);
  EXPECT_EQ(reader.required_name("worker_id"), "");
  const auto response = reader.finish();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 400);
  const auto problem = problem_of(response);
  EXPECT_EQ(*problem.find("type"), Value("urn:perdure:problem:invalid-request"));
  EXPECT_EQ(text_at(problem, 0, "pointer"), "/count");
  EXPECT_EQ(text_at(problem, 0, "detail"),
            R"(The member "/count" must be an integer; it is of type string.)");
  EXPECT_EQ(text_at(problem, 1, "pointer"), "/worker_id");
  EXPECT_EQ(text_at(problem, 1, "detail"),
            R"(The member "/worker_id" is missing; give it a value.)");
  EXPECT_EQ(text_at(problem, 2, "pointer"), "/a~1b~0");
  EXPECT_THAT(text_at(problem, 2, "detail"), HasSubstr("known: count worker_id"));
}

TEST(BodyReader, RefusesWrongValues) {
  using Read = void (*)(BodyReader&);
  const struct {
    std::string_view body;
    Read read;
    std::string_view pointer, detail;
  } cases[] = {
      {R"({"m":""})", [](BodyReader& r) { (void)r.name("m"); }, "/m", "must not be empty"},
      {R"({"m":"a\u0000b"})", [](BodyReader& r) { (void)r.name("m"); }, "/m", "control characters"},
      {R"({"m":"a\nb"})", [](BodyReader& r) { (void)r.name("m"); }, "/m", "control characters"},
      {R"({"m":1.5})", [](BodyReader& r) { (void)r.integer("m", {}); }, "/m", "an integer"},
      {R"({"m":-1})", [](BodyReader& r) { (void)r.integer("m", {}); }, "/m", "of at least 0"},
      {R"({"m":11})", [](BodyReader& r) { (void)r.integer("m", {1, 10}); }, "/m", "from 1 to 10"},
      {R"({"m":1})", [](BodyReader& r) { (void)r.flag("m"); }, "/m", "true or false"},
      {R"({"m":"012"})", [](BodyReader& r) { (void)r.key("m"); }, "/m", "must be a key"},
      {R"({"m":-12})", [](BodyReader& r) { (void)r.key("m"); }, "/m", "must be a key"},
      {R"({"m":0})", [](BodyReader& r) { (void)r.key("m"); }, "/m", "must be a key"},
      {R"({"m":"9223372036854775808"})", [](BodyReader& r) { (void)r.key("m"); }, "/m", "a key"},
      {R"({"m":[1]})", [](BodyReader& r) { (void)r.object("m"); }, "/m", "it is of type list"},
      {R"({"m":"a"})", [](BodyReader& r) { (void)r.required_types("m"); }, "/m", "a list"},
      {R"({"m":[]})", [](BodyReader& r) { (void)r.required_types("m"); }, "/m", "at least one"},
      {R"({"m":["a",1]})", [](BodyReader& r) { (void)r.required_types("m"); }, "/m/1", "a string"},
      {R"({"m":[{}]})", [](BodyReader& r) { (void)r.required_types("m"); }, "/m/0", "\"type\""},
      {R"({"m":[{"type":""}]})", [](BodyReader& r) { (void)r.required_types("m"); }, "/m/0/type",
       "must not be empty"},
      {R"({})", [](BodyReader& r) { (void)r.required_types("m"); }, "/m", "is missing"},
      {R"({"m":null})", [](BodyReader& r) { (void)r.required_integer("m", {}); }, "/m",
       "is missing"},
  };
  for (const auto& c : cases) {
    const auto body = parsed(c.body);
    BodyReader reader(*body.as<Object>(), kLimits);
    c.read(reader);
    const auto problem = problem_of(reader.finish());
    EXPECT_EQ(text_at(problem, 0, "pointer"), c.pointer) << c.body;
    EXPECT_THAT(text_at(problem, 0, "detail"), HasSubstr(c.detail)) << c.body;
    EXPECT_EQ(text_at(problem, 1, "pointer"), "<none>") << c.body;
  }
}

TEST(BodyReader, LimitsSizes) {
  const Value body = Object{{"name", std::string(256, 'x')}, {"text", std::string(65'537, 'x')}};
  BodyReader reader(*body.as<Object>(), kLimits);
  EXPECT_EQ(reader.name("name"), std::nullopt);
  EXPECT_EQ(reader.text("text"), std::nullopt);
  const auto problem = problem_of(reader.finish());
  EXPECT_THAT(text_at(problem, 0, "detail"), HasSubstr("has 256 bytes; at most 255"));
  EXPECT_THAT(text_at(problem, 1, "detail"), HasSubstr("has 65537 bytes; at most 65536"));
}

TEST(QueryReader, ReadsParametersAndHasDefaults) {
  const auto request =
      with_query({{"limit", "5"}, {"after", "77"}, {"status", "running"}, {"open", "false"}});
  QueryReader query(request, kLimits);
  EXPECT_EQ(query.page_limit(), 5);
  EXPECT_EQ(query.key("after"), 77);
  EXPECT_EQ(query.enumerator<facts::InstanceStatus>("status"), facts::InstanceStatus::running);
  EXPECT_FALSE(query.flag("open", true));
  EXPECT_FALSE(query.finish());

  const auto none = with_query({});
  QueryReader absent(none, kLimits);
  EXPECT_EQ(absent.page_limit(), 100);
  EXPECT_TRUE(absent.flag("open", true));
  EXPECT_FALSE(absent.finish());
}

TEST(QueryReader, RefusesWrongAndUnknownParameters) {
  const auto request = with_query({{"limit", "0"},
                                   {"after", "x"},
                                   {"status", "sleepy"},
                                   {"open", "maybe"},
                                   {"type", "a"},
                                   {"type", "b"},
                                   {"statsu", "running"}});
  QueryReader query(request, kLimits);
  (void)query.page_limit();
  (void)query.key("after");
  (void)query.enumerator<facts::InstanceStatus>("status");
  (void)query.flag("open", true);
  (void)query.text("type");
  const auto response = query.finish();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 400);
  const auto problem = problem_of(response);
  const std::pair<std::string_view, std::string_view> expected[] = {
      {"limit", "from 1 to 1000"},
      {"after", "give a key"},
      {"status", "give one of pending running paused completed failed cancelled"},
      {"open", "give one of false true"},
      {"type", "more than once"},
      {"statsu", "is not known here"},
  };
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(text_at(problem, i, "query"), expected[i].first);
    EXPECT_THAT(text_at(problem, i, "detail"), HasSubstr(expected[i].second));
  }
}

TEST(QueryReader, TakesOnlyWholeIntegers) {
  for (const std::string text : {"5x", " 5", "5.0", "+5", "9223372036854775808", "0x5"}) {
    const auto request = with_query({{"limit", text}});
    QueryReader query(request, kLimits);
    (void)query.page_limit();
    EXPECT_TRUE(query.finish()) << text;
  }
}

TEST(ParseBody, RefusesWhatIsNoJsonObject) {
  const struct {
    std::string body;
    int status;
  } cases[] = {
      {"", 400},
      {"{", 400},
      {"[]", 400},
      {"\"text\"", 400},
      {R"({"a":1,"a":2})", 400},
      {R"({"a":9223372036854775808})", 400},
      {R"({"a":1e400})", 400},
      {"{\"a\":\"\xFF\"}", 400},
      {std::string(10'000, '[') + std::string(10'000, ']'), 400},
      {"{\"a\":" + std::string(10'000, '[') + std::string(10'000, ']') + "}", 400},
      {"{\"a\":\"" + std::string(2 * 1024 * 1024, 'x') + "\"}", 413},
  };
  for (const auto& c : cases) {
    net::Request request;
    request.body = c.body;
    const auto body = parse_body(request, kLimits);
    ASSERT_FALSE(body) << c.body.substr(0, 40);
    EXPECT_EQ(body.error().status, c.status) << c.body.substr(0, 40);
    EXPECT_EQ(body.error().content_type, net::kProblemType);
  }
}

TEST(ParseBody, AnEmptyBodyMayStandForNoMembers) {
  const auto body = parse_body({}, kLimits, true);
  ASSERT_TRUE(body);
  EXPECT_EQ(*body, Value(Object{}));
}

TEST(Oversize, MeasuresTheVariablesAlone) {
  Limits limits;
  limits.max_variables_bytes = 20;
  const std::optional<Value> fits =
      Value(Object{{"a", "12345678901234"}}); // {"a":"12345678901234"}
  const std::optional<Value> large = Value(Object{{"a", "123456789012345"}});
  net::Request request;
  request.body = std::string(100, ' ');
  EXPECT_TRUE(oversize(request, fits, limits)); // 22 bytes
  limits.max_variables_bytes = 22;
  EXPECT_FALSE(oversize(request, fits, limits));
  const auto response = oversize(request, large, limits);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 413);
  EXPECT_THAT(response->body, HasSubstr("have 23 bytes as JSON; send at most 22"));
  EXPECT_FALSE(oversize(request, std::nullopt, limits));
}

TEST(PathKey, TakesOnlyKeys) {
  net::Request request;
  request.path_parameters = {{"id", "42"}};
  EXPECT_EQ(path_key(request, "task").value_or(kNoKey), 42);
  for (const std::string text : {"0", "-1", "abc", "042", "9223372036854775808", "1 "}) {
    request.path_parameters = {{"id", text}};
    const auto key = path_key(request, "task");
    ASSERT_FALSE(key) << text;
    EXPECT_EQ(key.error().status, 400);
    EXPECT_THAT(key.error().body, HasSubstr("decimal number of a task"));
  }
}

TEST(IdempotencyKey, DigestSpeaksOfMethodPathAndBody) {
  net::Request request;
  request.method = "POST";
  request.target = "/a?b=c";
  request.body = "{}";
  const auto none = idempotency(request, kLimits);
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);

  request.headers = {{"idempotency-key", "k1"}};
  const auto first = idempotency(request, kLimits);
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->key, "k1");
  EXPECT_EQ((*first)->digest.size(), 64U);
  const auto digest_of = [](const net::Request& changed) {
    const auto key = idempotency(changed, kLimits);
    return key && *key ? (*key)->digest : std::string();
  };
  EXPECT_EQ(digest_of(request), (*first)->digest);
  auto other_body = request;
  other_body.body = "{ }";
  EXPECT_NE(digest_of(other_body), (*first)->digest);
  auto other_path = request;
  other_path.target = "/b";
  EXPECT_NE(digest_of(other_path), (*first)->digest);

  request.headers = {{"Idempotency-Key", ""}};
  EXPECT_FALSE(idempotency(request, kLimits));
  request.headers = {{"Idempotency-Key", std::string(256, 'k')}};
  EXPECT_FALSE(idempotency(request, kLimits));
}

TEST(SameOrigin, RefusesWhatAnotherSitesPageSends) {
  const struct {
    std::string method;
    net::Fields headers;
    bool same;
  } cases[] = {
      {"POST", {}, true},
      {"POST", {{"Sec-Fetch-Site", "same-origin"}}, true},
      {"POST", {{"Sec-Fetch-Site", "none"}}, true},
      {"POST", {{"Sec-Fetch-Site", "cross-site"}}, false},
      {"POST", {{"Sec-Fetch-Site", "same-site"}}, false},
      {"GET", {{"Sec-Fetch-Site", "cross-site"}}, true},
      {"POST", {{"Origin", "http://localhost:8080"}, {"Host", "localhost:8080"}}, true},
      {"POST", {{"Origin", "http://evil.example"}, {"Host", "localhost:8080"}}, false},
      {"POST", {{"Origin", "null"}, {"Host", "localhost:8080"}}, false},
      {"POST", {{"Origin", "http://localhost:8080"}}, false},
  };
  for (const auto& c : cases) {
    net::Request request;
    request.method = c.method;
    request.headers = c.headers;
    EXPECT_EQ(is_same_origin(request), c.same)
        << c.method << (c.headers.empty() ? "" : c.headers[0].second);
  }
}

} // namespace
} // namespace perdure::api
