#pragma once
// A kernel that could run a step, and what speaks against it.

#include <cstdint>
#include <string>

namespace stint {

struct KernelCandidate {
  std::string kernel;  // "winograd4_avx512"
  // Measured for this layer on this machine, or predicted from that; 0: not
  // known.
  double us = 0;
  int64_t weight_bytes = 0;  // of the packed weights; 0: not known
  std::string refused = {};  // why it does not run the step; empty: it does
};

}  // namespace stint
