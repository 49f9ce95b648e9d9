#pragma once
// The kernel chosen for a step, why, and why not the others.

#include <string>
#include <vector>

#include "stint/kernel_candidate.h"

namespace stint {

struct KernelChoice {
  std::string kernel;  // "winograd4_avx512"; empty: there was no choice
  std::string reason;  // "default", "measured", "tuned", "untuned", "forced"
  std::string detail;  // what it was compared with, and what it costs
  // "direct:t8x2", where the kernel has one: with it, all that decides how the
  // step computes.
  std::string schedule = {};
  // The rule or measurement that decided, as a sentence.
  std::string rule = {};
  // Every kernel of the operator, the chosen one too.
  std::vector<KernelCandidate> candidates = {};
};

}  // namespace stint
