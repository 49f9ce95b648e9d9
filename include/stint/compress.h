#pragma once
// Smaller models: pruning, narrow weights, and repair by data without training.
// Link stint_convert.

#include <string>
#include <vector>

#include "stint/convert.h"

namespace stint {

// What pruning takes out.
enum class PruneKind {
  kNone,
  kMagnitude,  // the smallest weights of all layers together become 0
  kLayer,      // the same by each layer for itself
  kBlock,      // blocks of consecutive outputs at one input become 0
  kChannel,    // whole channels go and tensors shrink
};

enum class QuantizeKind {
  kNone,
  kFloat16,   // weights are stored in 16 bits and widened when read
  kBFloat16,  //
  kInt8,      // convolutions in QDQ form: weights and images of one byte
};

struct CompressOptions {
  PruneKind prune = PruneKind::kNone;
  double ratio = 0;   // of weights or channels, in [0, 1)
  int64_t block = 4;  // outputs, for kBlock
  // Channels that stay are rounded up to a multiple of it.
  int64_t channel_multiple = 8;
  QuantizeKind quantize = QuantizeKind::kNone;
  // Ranges of images: "best", "min-max", "percentile" or "mse".
  std::string observer = "best";
  // Data to repair with (pruning) and to measure ranges on (int8, which needs
  // it). Labels are not looked at.
  std::optional<CalibrationData> data;
  std::optional<Preprocessing> preprocessing;  // of pictures in `data`
  // Match the mean and the variance of channels to the original's, where there
  // is data, and means once more after rounding to int8.
  bool recover = true;
};

// "magnitude:50%", "layer:0.5", "4x1:70%", "channel:50%" into options;
// kInvalidArgument says what was expected.
Status ParsePruning(const std::string& text, CompressOptions* options);
// "fp16", "bf16", "int8", "int8:min-max".
Status ParseQuantization(const std::string& text, CompressOptions* options);

struct CompressedLayer {
  std::string name;
  int64_t weights = 0;  // of the compressed model
  int64_t zeros = 0;
  int64_t weights_before = 0;
};

struct CompressReport {
  int64_t parameters_before = 0;
  int64_t parameters = 0;
  int64_t zeros = 0;  // of the weights of `layers`
  int64_t channels_before = 0;
  int64_t channels = 0;
  int64_t channels_fixed = 0;  // could not go
  int matched_layers = 0;      // repaired by data
  int quantized_convolutions = 0;
  std::vector<CompressedLayer> layers;
};

struct CompressedModel {
  Model model;
  CompressReport report;
};

// `model` must have been imported without optimize: the result has only
// operators that ONNX knows, and can be exported. kUnsupported when the model
// has nothing that can be compressed in that way.
Result<CompressedModel> CompressModel(const Model& model,
                                      const CompressOptions& options);

// The same model, simplified and fused for running or packing.
Result<Model> OptimizeModel(const Model& model);

}  // namespace stint
