// The stand-in for std::expected, which users of older compilers and of C++20 have, is laid out
// like the one that the library was compiled with, and does the same.
#include "perdure/expected.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "perdure/result.h"

namespace perdure {
namespace {

constexpr std::size_t kRoom = 256;

/// The bytes that an object writes when it is made where every byte was 0xAA.
template <class T, class... Args>
std::array<std::byte, kRoom> image(Args&&... args) {
  static_assert(sizeof(T) <= kRoom);
  alignas(T) std::array<std::byte, kRoom> memory;
  memory.fill(std::byte{0xAA});
  auto* object = new (memory.data()) T(std::forward<Args>(args)...);
  auto copy = memory;
  std::destroy_at(object);
  return copy;
}

struct Plain {
  std::int32_t number = 0;
  bool operator==(const Plain&) const = default;
};

TEST(Expected, IsLaidOutAsTheStandardOne) {
  using Long = Expected<std::int64_t, Plain>;
  using StandardLong = std::expected<std::int64_t, Plain>;
  EXPECT_EQ(image<Long>(7), image<StandardLong>(7));
  EXPECT_EQ(image<Long>(Unexpected(Plain{9})), image<StandardLong>(std::unexpected(Plain{9})));
  using Void = Expected<void, Plain>;
  using StandardVoid = std::expected<void, Plain>;
  EXPECT_EQ(image<Void>(Unexpected(Plain{9})), image<StandardVoid>(std::unexpected(Plain{9})));
  EXPECT_EQ(sizeof(Expected<void, Error>), sizeof(std::expected<void, Error>));
  EXPECT_EQ(sizeof(Expected<std::string, Error>), sizeof(std::expected<std::string, Error>));
  EXPECT_EQ(sizeof(Expected<bool, Error>), sizeof(std::expected<bool, Error>));
}

TEST(Expected, HoldsOneOfTwo) {
  Expected<std::string, Error> value("text");
  EXPECT_TRUE(value);
  EXPECT_EQ(*value, "text");
  EXPECT_EQ(value->size(), 4U);
  EXPECT_EQ(value.value_or("other"), "text");
  const Expected<std::string, Error> failed(Unexpected(Error{ErrorCode::not_found, "gone", ""}));
  EXPECT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().message, "gone");
  EXPECT_EQ(failed.value_or("other"), "other");
  EXPECT_THROW((void)failed.value(), std::logic_error);
}

TEST(Expected, ChangesFromOneToTheOther) {
  Expected<std::string, Error> one("text");
  const Expected<std::string, Error> failed(Unexpected(Error{ErrorCode::conflict, "no", ""}));
  one = failed;
  EXPECT_EQ(one.error().message, "no");
  one = Expected<std::string, Error>("again");
  EXPECT_EQ(one.value(), "again");
  const auto moved = std::move(one);
  EXPECT_EQ(*moved, "again");
  Expected<void, Error> nothing;
  EXPECT_TRUE(nothing.has_value());
  nothing = Unexpected(Error{ErrorCode::conflict, "no", ""});
  EXPECT_EQ(nothing.error().code, ErrorCode::conflict);
}

} // namespace
} // namespace perdure
