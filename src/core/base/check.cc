#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace stint {

void CheckFailed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: internal check failed: %s\n", file, line, what);
  std::abort();
}

}  // namespace stint
