#include "api/server_fixture.h"

#include <chrono>
#include <thread>
#include <utility>

#include "app/compile.h"
#include "base/json.h"
#include "store/sqlite/sqlite.h"

namespace perdure::api {
namespace {

std::filesystem::path fresh_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "perdure_api_XXXXXX").string();
  EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
  return pattern;
}

Reply to_reply(Result<net::ClientResponse> response) {
  if (!response) {
    ADD_FAILURE() << response.error().message;
    return {};
  }
  Reply reply{.status = response->status,
              .headers = std::move(response->headers),
              .text = std::move(response->body)};
  if (auto value = json::parse(reply.text)) reply.body = std::move(*value);
  return reply;
}

} // namespace

Instant WallClock::now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Value Reply::at(std::string_view path) const {
  const Value* value = &body;
  while (value != nullptr && !path.empty()) {
    const auto name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    if (const auto* list = value->as<Array>()) {
      const auto index = std::stoul(std::string(name));
      value = index < list->size() ? &(*list)[index] : nullptr;
    } else {
      value = value->find(name);
    }
  }
  return value == nullptr ? Value() : *value;
}

std::string Reply::text_at(std::string_view path) const {
  const auto value = at(path);
  const auto* found = value.as<std::string>();
  return found == nullptr ? std::string() : *found;
}

std::size_t Reply::count(std::string_view path) const {
  const auto value = at(path);
  const auto* list = value.as<Array>();
  return list == nullptr ? 0 : list->size();
}

std::string Reply::header(std::string_view name) const {
  return std::string(net::find_header(headers, name).value_or(""));
}

Caller::Caller(const std::string& url, const net::ClientOptions& options) : client_(url, options) {}

Reply Caller::get(std::string_view target) { return to_reply(client_.request("GET", target)); }

Reply Caller::post(std::string_view target, std::string_view body, net::Fields headers) {
  if (!net::find_header(headers, "Content-Type")) {
    headers.emplace_back("Content-Type", "application/json");
  }
  return to_reply(client_.request("POST", target, headers, body));
}

bool Caller::try_post(std::string_view target, std::string_view body) {
  return client_.request("POST", target, {{"Content-Type", "application/json"}}, body).has_value();
}

void ServerTest::SetUp() {
  folder_ = fresh_folder();
  auto database = store::sqlite::open({.path = (folder_ / "perdure.db").string()}, clock_);
  ASSERT_TRUE(database) << database.error().message;
  reader_ = std::move(database->reader);
  engine_ = std::make_unique<engine::Engine>(std::move(database->store), app::compile, clock_, log_,
                                             engine::Options{});
  const auto started = engine_->start();
  ASSERT_TRUE(started) << started.error().message;
  api_ = std::make_unique<Api>(*engine_, *reader_, clock_, Options{.version = "1.2.3"});
  auto server = net::Server::listen({}, api_->handler());
  ASSERT_TRUE(server) << server.error().message;
  server_ = std::move(*server);
  url_ = server_->url();
  caller_ = std::make_unique<Caller>(url_);
}

void ServerTest::TearDown() {
  caller_.reset();
  server_.reset();
  if (engine_) engine_->stop();
  api_.reset();
  engine_.reset();
  reader_.reset();
  std::filesystem::remove_all(folder_);
}

void ServerTest::wait_until(const std::function<bool()>& holds) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
}

void ServerTest::deploy(const std::string& xml) {
  const auto reply = post("/api/v1/process-definitions/deploy?resource_name=model.bpmn", xml,
                          {{"Content-Type", "application/xml"}});
  ASSERT_EQ(reply.status, 201) << reply.text;
}

std::string ServerTest::start(std::string_view process_id, std::string_view variables) {
  const auto reply =
      post("/api/v1/process-instances", R"({"process_def_id":")" + std::string(process_id) +
                                            R"(","variables":)" + std::string(variables) + "}");
  EXPECT_EQ(reply.status, 201) << reply.text;
  return reply.text_at("id");
}

std::string ServerTest::fetch_one(std::string_view type, std::string_view worker) {
  const auto reply = post("/api/v1/external-tasks/fetch-and-lock",
                          R"({"worker_id":")" + std::string(worker) + R"(","task_types":[")" +
                              std::string(type) + R"("],"wait_ms":60000})");
  EXPECT_EQ(reply.status, 200) << reply.text;
  EXPECT_EQ(reply.count("tasks"), 1U) << reply.text;
  return reply.text_at("tasks/0/id");
}

std::string ServerTest::all_of(const std::string& instance_id) {
  const auto path = "/api/v1/process-instances/" + instance_id;
  std::string all;
  for (const std::string_view part :
       {"", "/steps", "/history?limit=1000", "/variables", "/incidents", "/trace?limit=1000"}) {
    const auto reply = get(path + std::string(part));
    EXPECT_EQ(reply.status, 200) << part;
    all += reply.text + "\n";
  }
  all += get("/api/v1/tasks?open=false&instance_id=" + instance_id).text;
  return all;
}

// ---- models
// ---------------------------------------------------------------------------------------

std::string model(std::string_view process_id, std::string_view elements) {
  std::string xml = R"(<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" targetNamespace="test">
)";
  xml.append("<process id=\"").append(process_id).append("\" isExecutable=\"true\">\n");
  return xml.append(elements).append("\n</process>\n</definitions>\n");
}

std::string order_model() {
  return model("order", R"(
<startEvent id="Start"/>
<sequenceFlow id="f1" sourceRef="Start" targetRef="Pay"/>
<serviceTask id="Pay" name="Take the money">
  <extensionElements><zeebe:taskDefinition type="payment" retries="2"/></extensionElements>
</serviceTask>
<sequenceFlow id="f2" sourceRef="Pay" targetRef="Review"/>
<userTask id="Review" name="Review the order"/>
<sequenceFlow id="f3" sourceRef="Review" targetRef="End"/>
<endEvent id="End"/>)");
}

std::string work_model() {
  return model("work", R"(
<startEvent id="Start"/>
<sequenceFlow id="f1" sourceRef="Start" targetRef="Work"/>
<serviceTask id="Work">
  <extensionElements><zeebe:taskDefinition type="work"/></extensionElements>
</serviceTask>
<sequenceFlow id="f2" sourceRef="Work" targetRef="End"/>
<endEvent id="End"/>)");
}

std::string renamed_work_model() {
  return model("work", R"(
<startEvent id="Start"/>
<sequenceFlow id="f1" sourceRef="Start" targetRef="Labour"/>
<serviceTask id="Labour">
  <extensionElements><zeebe:taskDefinition type="work"/></extensionElements>
</serviceTask>
<sequenceFlow id="f2" sourceRef="Labour" targetRef="End"/>
<endEvent id="End"/>)");
}

std::string gateway_model() {
  return model("gateway", R"(
<startEvent id="Start"/>
<sequenceFlow id="f1" sourceRef="Start" targetRef="Choose"/>
<exclusiveGateway id="Choose"/>
<sequenceFlow id="f2" sourceRef="Choose" targetRef="End">
  <conditionExpression xsi:type="tFormalExpression">= ok</conditionExpression>
</sequenceFlow>
<sequenceFlow id="f3" sourceRef="Choose" targetRef="End">
  <conditionExpression xsi:type="tFormalExpression">= ok and false</conditionExpression>
</sequenceFlow>
<endEvent id="End"/>)");
}

std::string fork_model() {
  return model("fork", R"(
<startEvent id="Start"/>
<sequenceFlow id="f0" sourceRef="Start" targetRef="Fork"/>
<parallelGateway id="Fork"/>
<sequenceFlow id="f1" sourceRef="Fork" targetRef="Work"/>
<sequenceFlow id="f2" sourceRef="Fork" targetRef="Review"/>
<sequenceFlow id="f3" sourceRef="Fork" targetRef="Timer"/>
<sequenceFlow id="f4" sourceRef="Fork" targetRef="Sub"/>
<sequenceFlow id="f5" sourceRef="Fork" targetRef="Join"/>
<serviceTask id="Work">
  <extensionElements><zeebe:taskDefinition type="work"/></extensionElements>
</serviceTask>
<userTask id="Review" name="Review"/>
<intermediateCatchEvent id="Timer">
  <timerEventDefinition>
    <timeDuration xsi:type="tFormalExpression">PT1H</timeDuration>
  </timerEventDefinition>
</intermediateCatchEvent>
<subProcess id="Sub">
  <startEvent id="SubStart"/>
  <sequenceFlow id="s1" sourceRef="SubStart" targetRef="Inner"/>
  <userTask id="Inner" name="Inner"/>
  <sequenceFlow id="s2" sourceRef="Inner" targetRef="SubEnd"/>
  <endEvent id="SubEnd"/>
</subProcess>
<sequenceFlow id="j1" sourceRef="Work" targetRef="Join"/>
<sequenceFlow id="j2" sourceRef="Review" targetRef="Join"/>
<sequenceFlow id="j3" sourceRef="Timer" targetRef="Join"/>
<sequenceFlow id="j4" sourceRef="Sub" targetRef="Join"/>
<parallelGateway id="Join"/>
<sequenceFlow id="f9" sourceRef="Join" targetRef="End"/>
<endEvent id="End"/>)");
}

} // namespace perdure::api
