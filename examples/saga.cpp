// Books a trip whose car is sold out: the flight and the hotel are given back.
//
//   saga trips.db, or   saga postgres://USER@HOST/NAME
#include "saga.h"

#include <cstdio>

namespace saga {

std::string book(const std::string& what, const std::string& trip_id) {
  if (what == "car") throw perdure::StepError("SoldOut", "there is no car left in that city");
  std::printf("booked: %s\n", what.c_str());
  return what + " of " + trip_id;
}

void cancel(const std::string& booking) { std::printf("cancelled: %s\n", booking.c_str()); }

} // namespace saga

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: saga DATABASE\n");
    return 2;
  }
  perdure::Engine engine{perdure::database(argv[1])};
  engine.define<saga::book_trip>("trip");
  // Run it again: it is the same trip, and nothing is booked twice.
  const auto id = engine.start("trip", saga::Trip{"t-1", "Lisbon"}, {.id = "t-1"});
  if (!id) {
    std::fprintf(stderr, "%s\n", id.error().message.c_str());
    return 1;
  }
  const auto booked = engine.result<saga::Itinerary>(*id);
  std::printf("%s\n", booked ? "the trip is booked" : booked.error().message.c_str());
  return 0;
}
