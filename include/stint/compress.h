#pragma once
// Smaller models: pruning, narrow weights, and repair by data without training.
// Link stint_convert.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stint/convert.h"
#include "stint/runtime.h"

namespace stint {

// What pruning removes.
enum class PruneKind {
  kNone,
  kMagnitude,  // the smallest weights of the whole network become 0
  kLayer,      // the smallest weights of each layer become 0
  kBlock,      // blocks of consecutive outputs or inputs become 0
  kChannel,    // whole channels are removed and tensors shrink
};

enum class QuantizeKind {
  kNone,
  kFloat16,   // weights are stored in 16 bits and widened when read
  kBFloat16,  // the same in bfloat16
  kInt8,      // convolutions in QDQ form: weights and activations of one byte
  // Weights as bit planes of CompressOptions::bits bits. PackModel makes them,
  // so only a .stint file can hold them.
  kCodes,
};

// Which convolutions kInt8 is for.
enum class IntegerLayers {
  kMeasured,  // those that are faster on this machine, timed on one row
  kByRule,    // without a look at the machine: those next to each other, and
              // those with many products for each number that is converted
  kAll,
};

// What is done with data after pruning. Labels are not looked at.
enum class Recovery {
  kNone,
  kStatistics,  // mean and variance of each channel become the original's
  // The remaining weights of each layer are fitted by least squares, so that
  // its output is as it was before pruning.
  kRefit,
};

// What is done to one layer.
struct LayerCompression {
  // Share of its output channels that is removed, with everything that depends
  // on them. 1: the whole branch, where its sum with another one remains.
  double channels = 0;
  double zeros = 0;   // share of its weights that become 0
  int64_t block = 4;  // in blocks of this many outputs
  bool int8 = false;  // convolutions only

  bool operator==(const LayerCompression&) const = default;
};

// Rows of data that repair a network well enough; more change little.
inline constexpr int64_t kRepairRows = 1000;

struct CompressOptions {
  PruneKind prune = PruneKind::kNone;
  double ratio = 0;  // of weights or channels, in [0, 1)
  // For kBlock: outputs, and input channels at one tap.
  int64_t block = 4;
  int64_t block_channels = 1;
  // The number of remaining channels is rounded up to a multiple of this.
  int64_t channel_multiple = 8;
  QuantizeKind quantize = QuantizeKind::kNone;
  int bits = 8;  // for kCodes: 2 to 8
  // For the ranges of activations.
  RangeObserver observer = RangeObserver::kBest;
  IntegerLayers integer_layers = IntegerLayers::kMeasured;
  // Where they are measured; its memory limit is ignored.
  RuntimeOptions measured_on;
  // Data to repair with (pruning) and to measure ranges on (int8, which needs
  // it).
  std::optional<CalibrationData> data;
  std::optional<Preprocessing> preprocessing;  // of pictures in `data`
  // Where there is data. Unless it is kNone, the means of channels are matched
  // once more after rounding to int8.
  Recovery recovery = Recovery::kRefit;
  // kRefit only: how many layers downstream of a pruned layer to refit. 0
  // refits all of them: slowest, most accurate.
  int repair_reach = 0;
  // Upper limit for the memory of the process. With less, fewer activations are
  // kept between layers, and it takes longer. 0: three times the model and 500
  // MB.
  int64_t memory_bytes = 0;
  // By name of a layer. If this is not empty, `prune`, `ratio` and kInt8 of
  // `quantize` are ignored, and layers that it does not name stay as they are.
  std::map<std::string, LayerCompression> layers;
};

// "magnitude:50%", "layer:0.5", "4x1:70%", "1x4:80%", "channel:50%" into
// options;
// kInvalidArgument says what was expected.
Status ParsePruning(const std::string& text, CompressOptions* options);
// "fp16", "bf16", "int8", "int8:min-max", "int8:all", "int8:rule", "4bit".
Status ParseQuantization(const std::string& text, CompressOptions* options);
// "none", "statistics", "refit".
Status ParseRecovery(const std::string& text, CompressOptions* options);

struct CompressedLayer {
  std::string name;
  int64_t weights = 0;  // of the compressed model
  int64_t zeros = 0;
  int64_t weights_before = 0;
};

// How well one layer was repaired, on rows held back from the repair: the
// distance of its output from the original one, relative to its size.
struct RepairedLayer {
  std::string name;
  double distance_before = 0;
  double distance_after = 0;
  bool kept = false;   // false: the layer stays as pruning left it
  std::string reason;  // why it was not even fitted; empty: it was
};

// And of the whole network, by its outputs.
struct RepairReport {
  int64_t rows = 0;            // used to repair
  int64_t held_back_rows = 0;  // used to judge the repair
  double distance_before = 0;
  double distance_after = 0;
  bool given_up = false;              // the repaired network was no nearer
  std::vector<RepairedLayer> layers;  // of refit, in order
};

// What kInt8 made of a convolution; times where they were measured.
struct IntegerLayer {
  std::string name;
  bool int8 = false;
  std::string reason;  // why it stays in float
  double float_us = 0;
  double int8_us = 0;  // 0: this machine has no integer kernel for it
};

// Of a run on one row, with IntegerLayers::kMeasured.
struct IntegerTimes {
  Isa isa = Isa::kBaseline;
  int threads = 0;
  double float_ms = 0;
  double every_ms = 0;  // every convolution in int8
  double int8_ms = 0;   // those that were chosen
};

struct CompressReport {
  int64_t parameters_before = 0;
  int64_t parameters = 0;
  int64_t zeros = 0;  // of the weights of `layers`
  int64_t channels_before = 0;
  int64_t channels = 0;
  int64_t channels_fixed = 0;                    // could not be removed
  std::map<std::string, int64_t> channels_held;  // of these, by the reason
  int repaired_layers = 0;                       // by data; those that are kept
  std::optional<RepairReport> repair;
  int quantized_convolutions = 0;
  int float_convolutions = 0;  // that stay so, with kInt8
  std::vector<IntegerLayer> integer_layers;
  std::optional<IntegerTimes> integer_times;
  std::vector<CompressedLayer> layers;
};

struct CompressedModel {
  Model model;
  CompressReport report;
};

// Compresses one model in many ways, and reads its data once for all of them.
class Compressor {
 public:
  // `model` must have been imported without optimize. What is given for `data`
  // and `preprocessing` is as in CompressOptions.
  static Result<Compressor> Create(
      const Model& model, const std::optional<CalibrationData>& data,
      const std::optional<Preprocessing>& preprocessing,
      int64_t memory_bytes = 0);
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  // As CompressModel; data, preprocessing and memory of the options do not
  // count.
  Result<CompressedModel> Run(const CompressOptions& options);
  // The model as it is compressed: simplified, names of layers as reports and
  // CompressOptions::layers have them.
  const Package& package() const;
  // Inputs for a run, each of several rows where the model allows it; those
  // that repairs are judged by are not among them.
  const std::vector<std::vector<Value>>& samples() const;

 private:
  struct State;
  explicit Compressor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// `model` must have been imported without optimize: the result has only
// operators that ONNX knows, and can be exported. kUnsupported when the model
// has nothing that can be compressed in that way.
Result<CompressedModel> CompressModel(const Model& model,
                                      const CompressOptions& options);

// The same model, simplified and fused for running or packing.
Result<Model> OptimizeModel(const Model& model);

}  // namespace stint
