#pragma once
// Where a kernel is going to run, and in which arithmetic.

#include <cstdint>
#include <memory>
#include <string>

#include "core/platform/cpu_info.h"
#include "core/platform/thread_pool.h"
#include "engine/bind/coded_weights.h"
#include "stint/lab.h"
#include "stint/target.h"
#include "weights/package/packed_weights.h"

namespace stint {

class ConvCosts;
class ConvSchedules;

// By how many bytes weights may yet be larger than in their smallest form.
// Kernels of one program share it, and lower it as they take some: the first
// layers of a network, whose images are large and weights small, gain most.
struct WeightAllowance {
  int64_t bytes = 0;
};

struct KernelSite {
  Isa isa = Isa::kBaseline;
  int threads = 1;
  Precision precision = Precision::kFloat32;  // kFloat32 to kInt8
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
