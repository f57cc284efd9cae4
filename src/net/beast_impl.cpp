// The one place where Beast's own code is compiled; only its HTTP parser survives the linker.
#include "net/asio_config.h"

#include <boost/beast/src.hpp>
