#pragma once
// The fp32 kernels of one step of a recurrent layer, best first: the product of
// the state with the recurrent matrix, gates and the new state in one go.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"

namespace stint {

// What a step computes. Gates stand in the order of ONNX. `x` is what the
// input gives to each gate, biases added.
enum class RecurrentStage {
  kRnn,        // h' = f0(x + R h)
  kGruGates,   // gate = f0(xz + Rz h), reset = h * f0(xr + Rr h)
  kGruState,   // h' = mix(gate, f1(xh + Rh reset))
  kGruLinear,  // h' = mix(f0(xz + Rz h), f1(xh + f0(xr + Rr h) (Rh h + bias)))
  kLstm,       // gates i, o, f, c; c' = f c + i g, h' = o f2(c')
};
// mix(z, fresh) = (1 - z) fresh + z h

inline int64_t GatesOf(RecurrentStage stage) {
  constexpr int64_t kGates[] = {1, 2, 1, 3, 4};
  return kGates[static_cast<int>(stage)];
}

enum class GateCurve {
  kSigmoid,
  kTanh,
  kRelu,
  kAffine,           // alpha x + beta
  kHardSigmoid,      // clamp(alpha x + beta, 0, 1)
  kLeakyRelu,        // x below 0: alpha x
  kElu,              // x below 0: alpha (e^x - 1)
  kScaledTanh,       // alpha tanh(beta x)
  kSoftsign,         // x / (1 + |x|)
  kThresholdedRelu,  // x below alpha: 0
};

struct GateFunction {
  GateCurve curve = GateCurve::kTanh;
  float alpha = 0;
  float beta = 0;
};

// One sequence of the batch at one step. All of [hidden] but `x`, whose gates
// are `gate_stride` apart. `to` overlaps nothing else.
struct RecurrentRow {
  const float* x = nullptr;
  const float* h = nullptr;
  float* to = nullptr;
  float* gate = nullptr;   // kGruGates writes these two, kGruState reads them
  float* reset = nullptr;  //
  float* c = nullptr;      // kLstm: read and written
};

struct RecurrentBlock {
  RecurrentStage stage = RecurrentStage::kRnn;
  int64_t hidden = 0;
  int64_t gate_stride = 0;
  const float* r = nullptr;  // packed by RecurrentF32Pack for `stage`
  const RecurrentRow* rows = nullptr;
  int64_t num_rows = 0;
  // Groups of the kernel's width of hidden units, of which this computes.
  int64_t begin = 0;
  int64_t end = 0;
  // From the last group to the first, for every second step: what a step has
  // read last is still in the cache when the next one begins. In one order a
  // matrix that is a little too large for it would be read anew each time.
  bool turned = false;
  const float* bias = nullptr;       // [hidden], kGruLinear: of Rh h
  const float* peepholes = nullptr;  // [3, hidden] for i, o, f; or null
  GateFunction functions[3];
  float clip = 0;  // of what functions 0 and 1 are given; 0: none
  bool input_forget = false;
};

struct RecurrentF32Kernel {
  const char* name;
  Isa isa;
  int width;  // hidden units of a group
  void (*run)(const RecurrentBlock& block);
};

std::span<const RecurrentF32Kernel> RecurrentF32Table();

// The best row that runs on a machine of level `cap`.
const RecurrentF32Kernel& PickRecurrentF32(Isa cap);

}  // namespace stint
