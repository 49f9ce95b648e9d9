#pragma once
// Where measurements of this machine are kept between runs.

#include <string>

namespace stint {

// $XDG_CACHE_HOME/stint, or ~/.cache/stint; empty where neither is known. The
// folder need not exist.
std::string CacheFolder();

}  // namespace stint
