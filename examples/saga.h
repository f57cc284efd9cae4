// A saga: several bookings that stand or fall together. Each one that is made says how it is
// undone; when a later one fails for good, or the trip is cancelled, they are undone in reverse.
#pragma once

#include <boost/describe/class.hpp>
#include <string>

#include "perdure/flow.h"

namespace saga {

struct Trip {
  std::string id;
  std::string city;
};
BOOST_DESCRIBE_STRUCT(Trip, (), (id, city))

struct Itinerary {
  std::string flight;
  std::string hotel;
  std::string car;
};
BOOST_DESCRIBE_STRUCT(Itinerary, (), (flight, hotel, car))

// The world; each program has its own.
std::string book(const std::string& what, const std::string& trip_id); ///< its booking number
void cancel(const std::string& booking);

inline perdure::Task<Itinerary> book_trip(perdure::Flow& flow, Trip trip) {
  Itinerary booked;
  booked.flight = co_await flow.run("book-flight", [&] { return book("flight", trip.id); });
  flow.compensate("cancel-flight", [booking = booked.flight] { cancel(booking); });

  booked.hotel = co_await flow.run("book-hotel", [&] { return book("hotel", trip.id); });
  flow.compensate("cancel-hotel", [booking = booked.hotel] { cancel(booking); });

  booked.car = co_await flow.run("rent-car", [&] { return book("car", trip.id); },
                                 {.max_attempts = 5, .non_retryable = {"SoldOut"}});
  co_return booked;
}

} // namespace saga
