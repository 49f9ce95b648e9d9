#pragma once
// Where a kernel is going to run, and in which arithmetic.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/platform/cpu_info.h"
#include "core/platform/thread_pool.h"
#include "engine/bind/coded_weights.h"
#include "weights/package/packed_weights.h"

namespace stint {

// Of matrix products and convolutions with constant weights; everything else is
// computed in float32, but for attention on AMX or vectors of bfloat16, which
// is in bfloat16 when products are not in float32.
enum class Precision {
  kFloat32,
  kBFloat16,  // weights in bfloat16, where the CPU multiplies that inputs too
  kInt8,      // weights per output channel, activations per row
};

std::string_view PrecisionName(Precision precision);  // "fp32", "bf16", "int8"
std::optional<Precision> ParsePrecision(std::string_view name);

class ConvCosts;
class ConvSchedules;

// Who says how a convolution is computed.
enum class ScheduleMode {
  kTuned,    // `stint tune` where it has been, else as kDefault
  kDefault,  // measured primitives, else a rule by shape
  kUntuned,  // one schedule for all: docs/tuning.md
};
std::string_view ScheduleModeName(ScheduleMode mode);  // "tuned", ...
std::optional<ScheduleMode> ParseScheduleMode(std::string_view name);

// By how many bytes weights may yet be larger than in their smallest form.
// Kernels of one program share it, and lower it as they take some: the first
// layers of a network, whose images are large and weights small, gain most.
struct WeightAllowance {
  int64_t bytes = 0;
};

struct KernelSite {
  Isa isa = Isa::kBaseline;
  int threads = 1;
  Precision precision = Precision::kFloat32;
  // The convolution primitive to use wherever it applies; empty: the fastest.
  std::string primitive = {};
  // What was measured of convolutions on this machine; null: nothing.
  std::shared_ptr<const ConvCosts> conv_costs = nullptr;
  ScheduleMode schedule_mode = ScheduleMode::kTuned;
  // What was tuned on this machine; null: nothing.
  std::shared_ptr<const ConvSchedules> schedules = nullptr;
  // Numbers in all weights of the network, which share the CPU's caches; 0: not
  // known, and taken to be too many for them.
  int64_t network_weights = 0;
  // What speed may cost in memory; null: there is no limit.
  std::shared_ptr<WeightAllowance> allowance = nullptr;
  // Helps to pack weights; may be null.
  ThreadPool* pool = nullptr;
  // The node's weights as a kernel packed them before, or null. Its constants
  // may have lost their elements to it.
  const PackedWeights* packed = nullptr;
  // What the node reads in place of constants that never have elements.
  CodedNode coded = {};
};

}  // namespace stint
