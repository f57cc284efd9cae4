// Settings for Boost.Asio and Boost.Beast. Every file of this room that includes Boost includes
// this first, so that all of them see the same library. Private to net: the public headers need no
// Boost.
#pragma once

#ifdef BOOST_ASIO_DETAIL_CONFIG_HPP
#error "include net/asio_config.h before any Boost header: files that disagree corrupt memory"
#endif

#define BOOST_ASIO_SEPARATE_COMPILATION
#define BOOST_ASIO_NO_DEPRECATED
#define BOOST_BEAST_SEPARATE_COMPILATION
