// Fan-out with a limit: all pages of a site, so many at a time. Each page is a run of its own with
// steps in it; one that fails for good is counted and holds up none of the others.
#pragma once

#include <boost/describe/class.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "perdure/flow.h"

namespace fan_out {

struct Site {
  std::string url;
  std::size_t at_once = 4;
};
BOOST_DESCRIBE_STRUCT(Site, (), (url, at_once))

struct Report {
  int pages = 0;
  int words = 0;
  int failed = 0;
};
BOOST_DESCRIBE_STRUCT(Report, (), (pages, words, failed))

// The world; each program has its own.
std::vector<std::string> list_pages(const std::string& url);
std::string fetch(const std::string& page);
int count_words(const std::string& text);

/// One page: fetched, then counted.
inline perdure::Task<int> read_page(perdure::Flow& flow, std::string page) {
  const auto text = co_await flow.run("fetch " + page, [&] { return fetch(page); });
  co_return co_await flow.run("count " + page, [&] { return count_words(text); });
}

inline perdure::Task<Report> read_site(perdure::Flow& flow, Site site) {
  const auto pages = co_await flow.run("list-pages", [&] { return list_pages(site.url); });
  Report report;
  // Each lane takes the next page when it has done one: so many are under way at a time.
  std::size_t next = 0;
  const auto lane = [&]() -> perdure::Task<void> {
    while (next < pages.size()) {
      const auto page = pages[next++];
      auto words =
          co_await flow
              .run("read " + page, [page](perdure::Flow& inner) { return read_page(inner, page); })
              .outcome();
      ++report.pages;
      if (words.succeeded()) {
        report.words += std::move(words).value();
      } else {
        ++report.failed;
      }
    }
  };
  co_await flow.all(std::vector(site.at_once, lane));
  co_return report;
}

} // namespace fan_out
