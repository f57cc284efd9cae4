// The world of the examples as a test sees it: what they do there is noted under the name of the
// step that did it, in memory and, when told to, in a file that survives the process.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace perdure::examples {

/// Forgets everything; from now on lines go to this file too, if it has a name.
void begin_world(const std::string& journal = {});
/// The next calls for that step fail so many times with an error of that name.
void break_step(const std::string& step, int times, const std::string& error = "Broken");
/// Steps in the order in which they were done.
[[nodiscard]] std::vector<std::string> done();
/// How many things were done at the same time, at most.
[[nodiscard]] int most_at_once();
/// Lines of a journal, counted.
[[nodiscard]] std::map<std::string, int> read_journal(const std::string& path);

} // namespace perdure::examples
