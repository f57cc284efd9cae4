// The compiled part of Boost.JSON. Debian's archive of it cannot go into a shared library.
#include <boost/json/src.hpp>
