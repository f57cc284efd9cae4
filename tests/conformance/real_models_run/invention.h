// Invention: plausible variables for a model that nobody documented. It reads the expressions in
// the file, notes which names they read and what they compare them with, and draws values by lot.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/value.h"
#include "random/chance.h"
#include "xml/xml.h"

namespace perdure::conformance {

class Invention {
public:
  /// Notes the names in one more file.
  void read(const xml::Element& root);

  /// A value for each name, but for those that the lot leaves out; `percent` of them stay.
  [[nodiscard]] Object draw(random::Chance& chance, int percent) const;

private:
  /// What a name may stand for.
  struct Idea {
    std::vector<Value> values; ///< to choose from
    bool is_list = false;
    std::string item;                    ///< of a list: the name of each item, if it has one
    std::map<std::string, Idea> members; ///< of an object
  };

  void read_text(std::string_view text, bool is_condition);
  void read_expression(std::string_view text, bool is_condition);
  void add_list(std::string_view text, std::string_view item);
  [[nodiscard]] Idea& idea_of(const std::string& path);
  [[nodiscard]] Value draw_value(const Idea& idea, random::Chance& chance) const;
  [[nodiscard]] Value draw_list(const Idea& idea, random::Chance& chance) const;

  std::map<std::string, Idea> ideas_;
};

} // namespace perdure::conformance
