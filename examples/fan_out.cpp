// Counts the words of a site's pages, three at a time.
//
//   fan_out pages.db, or   fan_out postgres://USER@HOST/NAME
#include "fan_out.h"

#include <algorithm>
#include <cstdio>

namespace fan_out {

std::vector<std::string> list_pages(const std::string& url) {
  std::vector<std::string> pages;
  for (int i = 1; i <= 10; ++i)
    pages.push_back(url + "/" + std::to_string(i));
  return pages;
}

std::string fetch(const std::string& page) { return "the text of " + page; }

int count_words(const std::string& text) {
  return static_cast<int>(std::ranges::count(text, ' ')) + 1;
}

} // namespace fan_out

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fan_out DATABASE\n");
    return 2;
  }
  perdure::Engine engine{perdure::database(argv[1])};
  engine.define<fan_out::read_site>("site");
  const auto id = engine.start("site", fan_out::Site{"perdure.example", 3}, {.id = "site-1"});
  if (!id) {
    std::fprintf(stderr, "%s\n", id.error().message.c_str());
    return 1;
  }
  const auto report = engine.result<fan_out::Report>(*id);
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return 1;
  }
  std::printf("%d pages, %d words, %d failed\n", report->pages, report->words, report->failed);
  return 0;
}
