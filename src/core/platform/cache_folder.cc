#include "core/platform/cache_folder.h"

#include <cstdlib>

namespace stint {

std::string CacheFolder() {
  // Relative paths are invalid there and to be ignored, says the standard.
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/stint";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') {
    return std::string(home) + "/.cache/stint";
  }
  return "";
}

}  // namespace stint
