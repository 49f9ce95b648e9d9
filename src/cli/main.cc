// The stint command line.

#include <cstdio>

#include "core/platform/cpu_info.h"

int main() {
  std::printf("stint %s isa=%s\n", STINT_VERSION,
              stint::IsaName(stint::DetectIsa()).data());
  return 0;
}
