// An empty database for each test, of either kind.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "embedded/place.h"

namespace perdure::test {

class EmbeddedTest : public testing::TestWithParam<Where> {
protected:
  void SetUp() override {
    std::string why;
    place_ = make_place(GetParam(), why);
    if (!place_) GTEST_SKIP() << why;
    place_->begin_anew();
  }
  [[nodiscard]] Storage storage() const { return place_->storage(); }

private:
  std::unique_ptr<Place> place_;
};

/// On both databases.
#define PERDURE_ON_BOTH(suite)                                                                     \
  INSTANTIATE_TEST_SUITE_P(On, suite, testing::Values(test::Where::sqlite, test::Where::postgres), \
                           [](const auto& tested) { return test::name_of(tested.param); })

} // namespace perdure::test
