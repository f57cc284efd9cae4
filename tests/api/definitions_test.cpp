// Process definitions over HTTP: deploying, what is refused, and reading back.
#include <thread>

#include "api/server_fixture.h"

namespace perdure::api {
namespace {

using ::testing::HasSubstr;

const net::Fields kXml{{"Content-Type", "application/xml"}};
constexpr std::string_view kDeploy = "/api/v1/process-definitions/deploy";

class DefinitionsTest : public ServerTest {};

TEST_F(DefinitionsTest, DeployAnswersWithTheDefinition) {
  const auto reply = post(std::string(kDeploy) + "?resource_name=order.bpmn", order_model(), kXml);
  ASSERT_EQ(reply.status, 201) << reply.text;
  ASSERT_EQ(reply.count("definitions"), 1U);
  EXPECT_EQ(reply.text_at("definitions/0/process_id"), "order");
  EXPECT_EQ(reply.at("definitions/0/version"), Value(1));
  EXPECT_EQ(reply.text_at("definitions/0/resource_name"), "order.bpmn");
  EXPECT_EQ(reply.text_at("definitions/0/digest").size(), 64U);
  EXPECT_EQ(reply.count("warnings"), 0U);

  const auto id = reply.text_at("definitions/0/id");
  const auto one = get("/api/v1/process-definitions/" + id);
  EXPECT_EQ(one.status, 200);
  EXPECT_EQ(one.body, reply.at("definitions/0"));
  EXPECT_EQ(get("/api/v1/process-definitions/" + id + "?include=xml").text_at("xml"),
            order_model());
  const auto xml = get("/api/v1/process-definitions/" + id + "/xml");
  EXPECT_EQ(xml.status, 200);
  EXPECT_EQ(xml.text, order_model());
  EXPECT_THAT(xml.header("Content-Type"), HasSubstr("application/xml"));
}

TEST_F(DefinitionsTest, TheSameFileIsNoNewVersionAChangedOneIs) {
  const auto first = post(kDeploy, order_model(), kXml);
  const auto again = post(kDeploy, order_model(), kXml);
  ASSERT_EQ(again.status, 201);
  EXPECT_EQ(again.text_at("definitions/0/id"), first.text_at("definitions/0/id"));
  const auto changed = post(kDeploy, order_model() + "<!-- changed -->", kXml);
  EXPECT_EQ(changed.at("definitions/0/version"), Value(2));

  const auto page = get("/api/v1/process-definitions?limit=1");
  ASSERT_EQ(page.count("items"), 1U);
  const auto next = get("/api/v1/process-definitions?limit=1&after=" + page.text_at("next_after"));
  ASSERT_EQ(next.count("items"), 1U);
  EXPECT_NE(page.text_at("items/0/id"), next.text_at("items/0/id"));
  const auto all = get("/api/v1/process-definitions");
  EXPECT_EQ(all.count("items"), 2U);
  EXPECT_TRUE(all.at("next_after").is_null());
}

TEST_F(DefinitionsTest, ABadModelIsAnsweredWithItsDiagnostics) {
  const auto xml = model("bad", "<startEvent id=\"S\"/>\n<callChoreography id=\"C\"/>");
  const auto reply = post(std::string(kDeploy) + "?resource_name=bad.bpmn", xml, kXml);
  ASSERT_EQ(reply.status, 400) << reply.text;
  EXPECT_EQ(reply.header("Content-Type"), "application/problem+json");
  EXPECT_EQ(reply.text_at("type"), "urn:perdure:problem:invalid-model");
  ASSERT_GE(reply.count("diagnostics"), 1U);
  EXPECT_EQ(reply.text_at("diagnostics/0/code"), "unsupported_element");
  EXPECT_EQ(reply.text_at("diagnostics/0/element_id"), "C");
  EXPECT_EQ(reply.text_at("diagnostics/0/file"), "bad.bpmn");
  EXPECT_EQ(reply.at("diagnostics/0/line"), Value(7));
  EXPECT_EQ(get("/api/v1/process-definitions").count("items"), 0U);
}

TEST_F(DefinitionsTest, HostileFilesAreRefusedAndTheServerGoesOn) {
  std::string nested;
  for (int i = 0; i < 5'000; ++i)
    nested += "<a>";
  const std::string hostile[] = {
      "",
      "<",
      "no XML at all",
      order_model().substr(0, 400),
      "<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>",
      "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\"/>",
      nested,
      std::string("\xFF\xFE\x00\x00", 4),
      model("two", "") + model("two", ""),
  };
  for (const auto& xml : hostile) {
    const auto reply = post(kDeploy, xml, kXml);
    EXPECT_EQ(reply.status, 400) << xml.substr(0, 60);
    EXPECT_GE(reply.count("diagnostics"), 1U) << xml.substr(0, 60);
  }
  EXPECT_EQ(post(kDeploy, order_model(), kXml).status, 201);
}

TEST_F(DefinitionsTest, AFileOverTheLimitOfTheServerIsTooLarge) {
  auto client = caller();
  EXPECT_EQ(client.post(kDeploy, std::string(17 * 1024 * 1024, ' '), kXml).status, 413);
  EXPECT_EQ(post(kDeploy, order_model(), kXml).status, 201);
}

TEST_F(DefinitionsTest, TheBodyIsTheFileItself) {
  EXPECT_EQ(post(kDeploy, "{}", {{"Content-Type", "application/json"}}).status, 400);
  EXPECT_EQ(post(kDeploy, "x", {{"Content-Type", "multipart/form-data; boundary=x"}}).status, 415);
  // What curl --data-binary says when it is not told the type.
  EXPECT_EQ(
      post(kDeploy, order_model(), {{"Content-Type", "application/x-www-form-urlencoded"}}).status,
      201);
}

TEST_F(DefinitionsTest, ResourceNamesAreChecked) {
  const auto named = post(kDeploy, order_model(), {kXml[0], {"X-Resource-Name", "a.bpmn"}});
  EXPECT_EQ(named.text_at("definitions/0/resource_name"), "a.bpmn");
  EXPECT_EQ(post(std::string(kDeploy) + "?resource_name=a%0Ab", order_model(), kXml).status, 400);
  EXPECT_EQ(post(std::string(kDeploy) + "?resourcename=a", order_model(), kXml).status, 400);
}

TEST_F(DefinitionsTest, UnknownDefinitionsAreNotFound) {
  EXPECT_EQ(get("/api/v1/process-definitions/999999").status, 404);
  EXPECT_EQ(get("/api/v1/process-definitions/999999/xml").status, 404);
  EXPECT_EQ(get("/api/v1/process-definitions/order").status, 400);
  EXPECT_EQ(get("/api/v1/process-definitions/1?include=json").status, 400);
  EXPECT_EQ(get("/api/v1/process-definitions?limit=1001").status, 400);
}

} // namespace
} // namespace perdure::api
