// PERDURE_API: what of the public headers the shared library exports, if cmake/package/symbols.map
// names it too; everything else in it is hidden.
#pragma once

#define PERDURE_API __attribute__((visibility("default")))
#define PERDURE_HIDDEN __attribute__((visibility("hidden")))
