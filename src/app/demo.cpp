// demo: a server on loopback with workers inside and ten orders on their way; then a table of what
// happened to each.
#include "app/demo.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/assembly.h"
#include "app/demo_model.h"
#include "app/demo_workers.h"
#include "app/local_backend.h"
#include "app/session.h"
#include "cli/api_client.h"
#include "cli/file.h"
#include "cli/step_lines.h"
#include "cli/text_table.h"
#include "cli/time_text.h"

namespace perdure::app {

namespace {

using cli::ExitCode;

constexpr Duration kLook{50};

/// An order and how it stood at the last look.
struct Order {
  std::string number;
  std::string instance_id;
  Array steps;
  std::string status;
};

class Demo {
public:
  Demo(cli::ApiClient& api, cli::Output& output, StopSignal& stop)
      : api_(api), output_(output), stop_(stop) {}

  /// How many orders of an earlier run have not ended: it was killed, and they go on.
  cli::Outcome<std::size_t> left_over() {
    const auto running = api_.get_all("/process-instances", {"status", "running"});
    if (!running) return std::unexpected(running.error());
    return running->size();
  }

  /// Deploys the model and starts the orders.
  cli::Outcome<void> begin(Instant now) {
    const auto deployed =
        api_.upload("/process-definitions/deploy", {{"resource_name", std::string(kDemoModelName)}},
                    demo_model(), "application/xml");
    if (!deployed) return std::unexpected(deployed.error());
    const auto& definitions = cli::list_of(*deployed, "definitions");
    const std::string definition =
        definitions.empty() ? "" : cli::text_of(definitions.front(), "id");
    const std::string run = std::to_string(to_ms(now));
    for (int number = 1; number <= kDemoOrders; ++number) {
      const Object body{{"process_def_id", definition},
                        {"business_key", "demo-" + run + "-" + std::to_string(number)},
                        {"variables", demo_order(number)}};
      // Sent twice, an order is started once.
      const auto started =
          api_.post("/process-instances", body,
                    {{"Idempotency-Key", "demo-" + run + "-" + std::to_string(number)}});
      if (!started) return std::unexpected(started.error());
      orders_.push_back({std::to_string(number), cli::text_of(*started, "id"), {}, "running"});
    }
    return {};
  }

  /// Follows the orders until all have ended; false when the user wants to stop before.
  cli::Outcome<bool> follow() {
    cli::LiveBlock progress(output_);
    for (;;) {
      std::size_t ended = 0;
      std::size_t steps = 0;
      for (auto& order : orders_) {
        if (order.status == "running") {
          auto looked = look(order);
          if (!looked) return std::unexpected(looked.error());
        }
        if (order.status != "running") ++ended;
        steps += order.steps.size();
      }
      if (ended == orders_.size()) return true;
      progress.draw(progress_line(ended, steps));
      if (stop_.wait_for(kLook)) return false;
    }
  }

  /// Whether every order was completed.
  [[nodiscard]] bool succeeded() const {
    for (const auto& order : orders_) {
      if (order.status != "completed") return false;
    }
    return true;
  }

  [[nodiscard]] std::string table() const {
    cli::TextTable table({{"ORDER", cli::Align::right},
                          {"INSTANCE"},
                          {"STEP"},
                          {"STATUS"},
                          {"ATTEMPTS", cli::Align::right},
                          {"DURATION", cli::Align::right}});
    for (const auto& order : orders_) {
      bool first = true;
      for (const auto& step : order.steps) {
        const auto duration = cli::step_duration(step);
        table.add({first ? order.number : "", first ? order.instance_id : "", cli::step_name(step),
                   cli::text_of(step, "status"), std::to_string(cli::int_of(step, "attempt_count")),
                   duration ? cli::duration_text(*duration) : "-"});
        first = false;
      }
    }
    return table.text();
  }

  [[nodiscard]] Value json(const std::string& url) const {
    Array orders;
    for (const auto& order : orders_) {
      orders.push_back(Object{{"order", order.number},
                              {"instance_id", order.instance_id},
                              {"status", order.status},
                              {"steps", order.steps}});
    }
    return Object{{"url", url}, {"orders", std::move(orders)}};
  }

private:
  cli::Outcome<void> look(Order& order) {
    const std::string path = "/process-instances/" + order.instance_id;
    // First the status, then the steps: those of an ended instance change no more.
    const auto instance = api_.get(path);
    if (!instance) return std::unexpected(instance.error());
    const auto steps = api_.get(path + "/steps");
    if (!steps) return std::unexpected(steps.error());
    order.status = cli::text_of(*instance, "status");
    order.steps = cli::list_of(*steps, "items");
    return {};
  }

  [[nodiscard]] std::string progress_line(std::size_t ended, std::size_t steps) const {
    std::string bar(orders_.size(), '.');
    std::fill_n(bar.begin(), ended, '#');
    return "Orders [" + bar + "] " + std::to_string(ended) + " of " +
           std::to_string(orders_.size()) + " done, " + std::to_string(steps) + " steps\n";
  }

  cli::ApiClient& api_;
  cli::Output& output_;
  StopSignal& stop_;
  std::vector<Order> orders_;
};

/// The port asked for, else 8080 or one of those behind it, else any.
Result<std::string> listen(Assembly& assembly, const Config& config) {
  if (config.port_is_chosen) return assembly.listen(config.host, config.port);
  for (std::uint16_t port = config.port; port < config.port + 10; ++port) {
    auto url = assembly.listen(config.host, port);
    if (url) return url;
  }
  return assembly.listen(config.host, 0);
}

} // namespace

ExitCode run_demo(const cli::DemoCommand& command, Config config, Surroundings& surroundings) {
  auto& output = surroundings.output;
  if (!config.data_is_chosen) config.data += "/demo";
  config.handler_threads = kDemoOrders * 2; // the workers only wait
  if (command.port) {
    config.port = *command.port;
    config.port_is_chosen = true;
  }
  auto assembly = Assembly::open(assembly_options(config, Access::create), surroundings.clock,
                                 surroundings.log);
  if (!assembly) return cli::report(output, cli::to_failure(assembly.error()));
  add_demo_workers((*assembly)->engine());
  const auto started = (*assembly)->start();
  if (!started) return cli::report(output, cli::to_failure(started.error()));
  const auto url = listen(**assembly, config);
  if (!url) return cli::report(output, cli::to_failure(url.error()));

  if (!output.json()) {
    output.print("Perdure demo: " + std::to_string(kDemoOrders) + " orders in " +
                 (*assembly)->place() + ", served at " + *url + "\n");
  }
  LocalBackend backend(**assembly, "--data " + cli::shell_quoted(config.data));
  cli::ApiClient api(backend);
  Demo demo(api, output, surroundings.stop);
  const auto left = demo.left_over();
  if (!left) return cli::report(output, left.error());
  if (*left > 0 && !output.json()) {
    output.print("Orders of an earlier run that go on: " + std::to_string(*left) + "\n");
  }
  const auto begun = demo.begin(surroundings.clock.now());
  if (!begun) return cli::report(output, begun.error());
  const auto finished = demo.follow();
  if (!finished) return cli::report(output, finished.error());
  if (!*finished) return ExitCode::interrupted;

  if (output.json()) {
    output.print_json(demo.json(*url));
  } else {
    output.print("\n" + demo.table() + "\nTo see them again: perdure ps --data " +
                 cli::shell_quoted(config.data) + "\n");
  }
  const ExitCode code = demo.succeeded() ? ExitCode::ok : ExitCode::failed;
  if (command.exit) return code;
  if (!output.json()) {
    output.print("Still serving, try " + *url + "/api/v1/process-instances; Ctrl-C ends it.\n");
  }
  surroundings.stop.wait();
  return code;
}

} // namespace perdure::app
