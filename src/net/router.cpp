// The route table as a tree of path segments.
#include "net/router.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "net/problem.h"
#include "net/uri.h"

namespace perdure::net {

namespace {

/// One way to serve a place in the tree.
struct Leaf {
  std::size_t route = 0;
  std::vector<std::string> names; // of the parameters, in path order
};
using Leaves = std::map<std::string, Leaf, std::less<>>;

// Takes "/a/b" apart: "a", then "b". A path that ends in a slash ends in an empty segment.
std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const auto segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

bool is_parameter(std::string_view segment) {
  return segment.size() > 2 && segment.starts_with('{') && segment.ends_with('}');
}

std::string allowed_methods(const Leaves& leaves) {
  std::string text;
  const auto add = [&](std::string_view method) {
    if (!text.empty()) text += ", ";
    text += method;
  };
  for (const auto& [method, leaf] : leaves) {
    add(method);
    if (method == "GET" && !leaves.contains("HEAD")) add("HEAD");
  }
  return text;
}

const Leaf* leaf_for(const Leaves& leaves, std::string_view method) {
  auto found = leaves.find(method);
  if (found == leaves.end() && method == "HEAD") found = leaves.find("GET");
  return found == leaves.end() ? nullptr : &found->second;
}

} // namespace

struct Router::Node {
  std::map<std::string, Node, std::less<>> literals;
  std::unique_ptr<Node> parameter;
  Leaves leaves;
  Leaves rest_leaves;

  void insert(const Route& route, std::size_t index) {
    PERDURE_CHECK(route.pattern.starts_with('/'));
    Node* node = this;
    Leaf leaf{.route = index, .names = {}};
    bool takes_rest = false;
    for (std::string_view path = route.pattern; !path.empty();) {
      PERDURE_CHECK(!takes_rest);
      const auto segment = take_segment(path);
      if (!is_parameter(segment)) {
        node = &node->literals[std::string(segment)];
        continue;
      }
      auto name = segment.substr(1, segment.size() - 2);
      takes_rest = name.ends_with("...");
      if (takes_rest) {
        name.remove_suffix(3);
      } else {
        if (!node->parameter) node->parameter = std::make_unique<Node>();
        node = node->parameter.get();
      }
      leaf.names.emplace_back(name);
    }
    Leaves& leaves_here = takes_rest ? node->rest_leaves : node->leaves;
    const bool is_new = leaves_here.emplace(route.method, std::move(leaf)).second;
    PERDURE_CHECK(is_new);
  }

  /// Finds the best place for `path` that knows `method`. Places that do not are noted in `others`.
  const Leaf* find(std::string_view path, std::string_view method, std::vector<std::string>& values,
                   const Leaves*& others) const {
    if (path.empty()) return choose(leaves, method, others);
    auto left = path;
    const auto segment = percent_decode(take_segment(left));
    if (!segment) return nullptr;
    if (const auto literal = literals.find(*segment); literal != literals.end()) {
      if (const auto* leaf = literal->second.find(left, method, values, others)) return leaf;
    }
    if (parameter && !segment->empty()) {
      values.push_back(*segment);
      if (const auto* leaf = parameter->find(left, method, values, others)) return leaf;
      values.pop_back();
    }
    if (rest_leaves.empty()) return nullptr;
    auto rest = percent_decode(path.substr(1));
    const auto* leaf = rest ? choose(rest_leaves, method, others) : nullptr;
    if (leaf) values.push_back(std::move(*rest));
    return leaf;
  }

  static const Leaf* choose(const Leaves& leaves, std::string_view method, const Leaves*& others) {
    const auto* leaf = leaf_for(leaves, method);
    if (!leaf && !leaves.empty() && !others) others = &leaves;
    return leaf;
  }
};

Router::Router(std::vector<Route> routes)
    : routes_(std::move(routes)), root_(std::make_unique<Node>()) {
  for (std::size_t i = 0; i < routes_.size(); ++i)
    root_->insert(routes_[i], i);
}

Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

Router::Match Router::match(std::string_view method, std::string_view raw_path) const {
  Match match;
  if (!raw_path.starts_with('/')) return match;
  std::vector<std::string> values;
  const Leaves* others = nullptr;
  const auto* leaf = root_->find(raw_path, method, values, others);
  if (leaf) {
    match.outcome = Outcome::found;
    match.route = &routes_[leaf->route];
    for (std::size_t i = 0; i < values.size(); ++i) {
      match.path_parameters.emplace_back(leaf->names[i], std::move(values[i]));
    }
  } else if (others) {
    match.outcome = Outcome::no_method;
    match.allow = allowed_methods(*others);
  }
  return match;
}

void Router::operator()(Request request, const Responder& responder) const {
  auto found = match(request.method, request.raw_path());
  if (found.outcome == Outcome::found) {
    request.path_parameters = std::move(found.path_parameters);
    found.route->handler(std::move(request), responder);
    return;
  }
  if (found.outcome == Outcome::no_path) {
    responder.send(problem(404, "there is nothing at " + request.path + "; check the path"));
    return;
  }
  Response response;
  if (request.method == "OPTIONS") {
    response.status = 204;
  } else {
    response = problem(
        405, request.path + " does not take " + request.method + "; it takes " + found.allow);
  }
  response.headers.emplace_back("Allow", std::move(found.allow));
  responder.send(std::move(response));
}

} // namespace perdure::net
