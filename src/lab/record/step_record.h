#pragma once
// The steps of a model as `stint inspect --kernels --format json` prints them:
// which kernel runs each, why, and how long it takes.

#include <string>
#include <vector>

#include "lab/record/json_fields.h"
#include "stint/kernel_candidate.h"

namespace stint {

struct StepRecord {
  std::string node;
  std::string op;
  double run_us = 0;      // the quickest of a few runs
  std::string kernel;     // empty, and with it all below: there is no choice
  std::string reason;     // "default", "measured", "tuned", "untuned", "forced"
  std::string detail;     // what it was compared with, and what it costs
  std::string schedule;   // "direct:t8x2"; empty: the kernel has none
  std::string rule = {};  // the rule or measurement that decided
  // Every kernel for the step, and why it was refused. Written, not read.
  std::vector<KernelCandidate> candidates = {};
};

Json StepsJson(const std::vector<StepRecord>& steps);

// Of a line that was printed; kDamaged, naming the key, where one is missing.
Result<std::vector<StepRecord>> ParseSteps(const std::string& line);

}  // namespace stint
