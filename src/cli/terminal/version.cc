#include "cli/terminal/version.h"

namespace stint::cli {

std::string Version() {
  return std::string(STINT_VERSION) + " (" + STINT_COMMIT + ")";
}

}  // namespace stint::cli
