// The one place where Asio's own code is compiled.
#include "net/asio_config.h"

#include <boost/asio/impl/src.hpp>
