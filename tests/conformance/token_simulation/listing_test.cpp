#include "conformance/token_simulation/listing.h"

#include <gtest/gtest.h>

#include <string>

namespace perdure::conformance {
namespace {

constexpr std::string_view kPage = R"(# Cases
| `elsewhere` | is no part of a table |

## Not BPMN
| Case | Why |
| --- | --- |
| `implicit` | starts by itself |

## Deviations
| `other` | clause 1 |
| broken |
## After
| `later` | no |
)";

TEST(ListingTest, ReadsTheTwoTables) {
  const auto listing = read_listing(kPage);
  EXPECT_EQ(listing.not_bpmn,
            (std::map<std::string, std::string>{{"implicit", "starts by itself"}}));
  EXPECT_EQ(listing.deviations, (std::map<std::string, std::string>{{"other", "clause 1"}}));
}

TEST(ListingTest, OnlyWhatTheCorpusTakesToBeBeyondBpmnIsSkipped) {
  const auto listing = read_listing(kPage);
  Case implicit;
  implicit.name = "implicit";
  Case other;
  other.name = "other";
  EXPECT_EQ(problems_of(listing, {implicit, other}).size(), 1U);
  implicit.flags = {"implicit-start"};
  EXPECT_TRUE(problems_of(listing, {implicit, other}).empty());
  EXPECT_EQ(problems_of(listing, {implicit}).size(), 1U);
}

} // namespace
} // namespace perdure::conformance
