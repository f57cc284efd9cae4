// Structs that know their fields: one DESCRIBE line gives a struct its JSON form (facts) and its
// SQL columns (rows), so that no field is spelled in three places.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <cstddef>
#include <string_view>

/// Names the fields of a struct in the order of its columns. Stands in the struct's namespace.
#define PERDURE_DESCRIBE(Struct, ...) BOOST_DESCRIBE_STRUCT(Struct, (), (__VA_ARGS__))

namespace perdure {

template <class T>
using FieldList = boost::describe::describe_members<T, boost::describe::mod_public>;

template <class T>
inline constexpr std::size_t kFieldCount = boost::mp11::mp_size<FieldList<T>>::value;

/// Calls visit(name, field) for every field in order.
template <class T, class Visit>
constexpr void for_each_field(T& object, Visit&& visit) {
  boost::mp11::mp_for_each<FieldList<std::remove_const_t<T>>>([&](auto descriptor) {
    visit(std::string_view(descriptor.name), object.*descriptor.pointer);
  });
}

} // namespace perdure
