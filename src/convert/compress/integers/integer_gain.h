#pragma once
// Which convolutions of a network gain by integers, from what its steps take in
// float32 and in int8.

#include <string>
#include <vector>

#include "convert/compress/time_steps.h"
#include "model/graph/graph.h"

namespace stint {

// A network's steps in both forms, and the elements of its values in the run
// that was timed, by value; 0 where not known.
struct TimedForms {
  std::vector<TimedStep> in_float;
  std::vector<TimedStep> in_bytes;  // every convolution that can be
  std::vector<int64_t> elements;
};

struct IntegerGain {
  std::string layer;
  double float_us = 0;
  double int8_us = 0;  // 0: there is no integer kernel for it here
  bool pays = false;
  std::string reason;  // why it does not pay
};

// Every convolution of `graph`, in order. The choice makes the sum of steps and
// of conversions between float and bytes least (a minimum cut over all
// operators); what gains less than noise stays in float32.
std::vector<IntegerGain> FindIntegerGains(const Graph& graph,
                                          const TimedForms& times);

}  // namespace stint
