#pragma once
// Post-training quantization: convolutions of a graph get weights and images of
// one byte, spelled out by QuantizeLinear and DequantizeLinear (the "QDQ" form,
// which other runtimes read, too).

#include <set>
#include <string>

#include "convert/compress/repair/layerwise_run.h"
#include "engine/calibrate/histogram.h"

namespace stint {

struct IntegerOptions {
  RangeObserver observer = RangeObserver::kBest;
  // Biases make up for what rounding the weights does to the mean of channels.
  bool correct_bias = true;
  // Names of the convolutions; empty: by rule (integer_chains.h).
  std::set<std::string> layers = {};
  // For what is alive between layers, of all samples.
  int64_t kept_bytes = 256 << 20;
};

struct QuantizedLayers {
  int convolutions = 0;
  int images = 0;                       // values that have a code
  std::set<std::string> left_in_float;  // convolutions, by rule
  // Convolutions that were chosen, of single pixels: those are as quick in
  // float32.
  std::set<std::string> without_codes;
};

// Weights: int8 around 0, a scale per output channel. Images: uint8 with one
// scale and zero, from the samples; 0 is represented exactly. Biases: int32.
// Linear layers stay as they are. kUnsupported when there is no convolution,
// kInvalidArgument when there is no sample.
Result<QuantizedLayers> QuantizeGraph(const IntegerOptions& options,
                                      const Samples& samples, ThreadPool* pool,
                                      Graph* graph);

}  // namespace stint
