#pragma once
// Measures on this machine which convolutions of a network are faster in int8.

#include <set>
#include <string>
#include <vector>

#include "convert/compress/integers/integer_gain.h"
#include "convert/compress/repair/layerwise_run.h"
#include "stint/runtime.h"
#include "weights/package/package.h"

namespace stint {

struct MeasuredIntegers {
  std::set<std::string> layers;  // that are faster in int8; at least one
  std::vector<IntegerGain> gains;
  double float_ms = 0;  // of a run on one row, as the sum of its steps
  double every_ms = 0;  // with every convolution in int8
  double int8_ms = 0;   // with `layers` in int8
};

// The network is timed in float32, with every convolution in int8, with those
// that FindIntegerGains chooses and with those that stand next to each other
// (integer_chains.h); the fastest is taken. kUnsupported where none is faster
// than float32 by more than noise, kInvalidArgument when there is no sample.
Result<MeasuredIntegers> MeasureIntegers(const Package& package,
                                         const Samples& samples,
                                         const Runtime& runtime,
                                         ThreadPool* pool);

}  // namespace stint
