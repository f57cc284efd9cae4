#include "store/postgres/wire.h"

#include <algorithm>

namespace perdure::store::postgres {

namespace {

constexpr std::int64_t kMsFrom1970To2000 = 946'684'800'000;
/// PostgreSQL's range is wider than the years 0 to 9999 that texts can show; ours is this.
constexpr std::int64_t kFirstMs = -62'167'219'200'000;
constexpr std::int64_t kLastMs = 253'402'300'799'999;
/// Of an array: dimensions, "has NULL", type, length, lower bound.
constexpr std::size_t kHeaderBytes = 20;

void put_int32(char* bytes, std::int32_t number) {
  const auto bits = static_cast<std::uint32_t>(number);
  for (int i = 0; i < 4; ++i)
    bytes[i] = static_cast<char>(bits >> (24 - 8 * i));
}

} // namespace

void append_int32(std::string& bytes, std::int32_t number) {
  const auto at = bytes.size();
  bytes.resize(at + 4);
  put_int32(bytes.data() + at, number);
}

void append_int64(std::string& bytes, std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  append_int32(bytes, static_cast<std::int32_t>(bits >> 32));
  append_int32(bytes, static_cast<std::int32_t>(bits & 0xffff'ffff));
}

std::int64_t wire_time(Instant instant) {
  return (std::clamp(to_ms(instant), kFirstMs, kLastMs) - kMsFrom1970To2000) * 1000;
}

Instant time_from_wire(std::int64_t microseconds) {
  auto ms = microseconds / 1000;
  if (microseconds % 1000 < 0) --ms;
  return from_ms(std::clamp(ms, kFirstMs - kMsFrom1970To2000, kLastMs - kMsFrom1970To2000) +
                 kMsFrom1970To2000);
}

std::int64_t int_from_wire(std::string_view bytes) {
  if (bytes.empty()) return 0;
  // The sign is in the first byte.
  std::uint64_t bits = (bytes.front() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (const char byte : bytes)
    bits = (bits << 8) | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(bits);
}

ArrayParameter::ArrayParameter(WireType type) : type_(type) { bytes_.resize(kHeaderBytes); }

void ArrayParameter::add_null() {
  ++count_;
  has_null_ = true;
  append_int32(bytes_, -1);
}

std::size_t ArrayParameter::begin_item() {
  ++count_;
  append_int32(bytes_, 0);
  return bytes_.size();
}

void ArrayParameter::end_item(std::size_t at) {
  put_int32(bytes_.data() + at - 4, static_cast<std::int32_t>(bytes_.size() - at));
}

Parameter ArrayParameter::take() {
  put_int32(bytes_.data(), 1);
  put_int32(bytes_.data() + 4, has_null_ ? 1 : 0);
  put_int32(bytes_.data() + 8, static_cast<std::int32_t>(type_.scalar));
  put_int32(bytes_.data() + 12, count_);
  put_int32(bytes_.data() + 16, 1);
  return {.type = type_.array, .null = count_ == 0, .bytes = std::move(bytes_)};
}

Parameters RowArrays::take() {
  Parameters made;
  for (auto& column : columns_)
    made.push_back(column.take());
  return made;
}

} // namespace perdure::store::postgres
