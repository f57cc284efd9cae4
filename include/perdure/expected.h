// What perdure::Result is where the standard library has no std::expected: in C++20, and for
// compilers older than clang 19. The part of its interface that Perdure's users need, and the same
// layout as libstdc++'s, since the library was built with that one.
#pragma once

#include <concepts>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace perdure {

/// The error side of an Expected.
template <class E>
class Unexpected {
public:
  explicit Unexpected(E error) : error_(std::move(error)) {}
  [[nodiscard]] const E& error() const& noexcept { return error_; }
  [[nodiscard]] E&& error() && noexcept { return std::move(error_); }

private:
  E error_;
};

/// A T, which may be void, or an E.
template <class T, class E>
class [[nodiscard]] Expected {
  struct Nothing {};
  static constexpr bool kIsVoid = std::is_void_v<T>;
  using Content = std::conditional_t<kIsVoid, Nothing, T>;

public:
  using value_type = T;
  using error_type = E;

  Expected() : content_(), has_value_(true) {}
  template <class U = Content>
    requires(!kIsVoid && std::convertible_to<U, Content> &&
             !std::is_same_v<std::remove_cvref_t<U>, Expected>)
  Expected(U&& value) : content_(std::forward<U>(value)), has_value_(true) {}
  Expected(Unexpected<E> failure) : error_(std::move(failure).error()), has_value_(false) {}
  Expected(const Expected& other) : has_value_(other.has_value_) {
    if (has_value_) {
      std::construct_at(&content_, other.content_);
    } else {
      std::construct_at(&error_, other.error_);
    }
  }
  Expected(Expected&& other) noexcept : has_value_(other.has_value_) { take(std::move(other)); }
  Expected& operator=(Expected other) noexcept {
    end();
    has_value_ = other.has_value_;
    take(std::move(other));
    return *this;
  }
  ~Expected() { end(); }

  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  [[nodiscard]] explicit operator bool() const noexcept { return has_value_; }
  [[nodiscard]] const E& error() const& noexcept { return error_; }
  [[nodiscard]] E& error() & noexcept { return error_; }
  [[nodiscard]] E&& error() && noexcept { return std::move(error_); }

  /// The value. Of an error: undefined.
  [[nodiscard]] const Content& operator*() const& noexcept { return content_; }
  [[nodiscard]] Content& operator*() & noexcept { return content_; }
  [[nodiscard]] Content&& operator*() && noexcept { return std::move(content_); }
  [[nodiscard]] const Content* operator->() const noexcept { return std::addressof(content_); }
  [[nodiscard]] Content* operator->() noexcept { return std::addressof(content_); }
  /// The value. Of an error: throws std::logic_error.
  const Content& value() const& { return check(), content_; }
  Content& value() & { return check(), content_; }
  Content&& value() && { return check(), std::move(content_); }
  template <class U>
  [[nodiscard]] Content value_or(U&& other) const {
    return has_value_ ? content_ : static_cast<Content>(std::forward<U>(other));
  }

private:
  void check() const {
    if (!has_value_) throw std::logic_error("There is no value, but an error.");
  }
  void take(Expected&& other) noexcept {
    if (has_value_) {
      std::construct_at(&content_, std::move(other.content_));
    } else {
      std::construct_at(&error_, std::move(other.error_));
    }
  }
  void end() noexcept {
    if (has_value_) {
      std::destroy_at(&content_);
    } else {
      std::destroy_at(&error_);
    }
  }

  union {
    Content content_;
    E error_;
  };
  bool has_value_;
};

} // namespace perdure
