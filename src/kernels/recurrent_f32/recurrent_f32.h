#pragma once
// Recurrent layers in fp32: RNN, GRU and LSTM over whole sequences, in one
// direction or both. What the inputs give to the gates of many steps is one
// product before the loop over them; steps only multiply the state. Directions
// and sequences of the batch are divided among threads, which need not wait for
// each other; a single sequence is divided by hidden units at every step.

#include <cstdint>

#include "core/platform/thread_pool.h"
#include "kernels/gemm_f32/gemm_f32.h"
#include "kernels/recurrent_f32/recurrent_f32_table.h"

namespace stint {

enum class RecurrentKind { kRnn, kGru, kGruLinear, kLstm };

// Weights of one direction; gates in the order of ONNX.
struct RecurrentF32Weights {
  const float* w = nullptr;     // [input, gates * hidden] by GemmF32PackB
  const float* r = nullptr;     // by RecurrentF32Pack
  const float* bias = nullptr;  // [gates * hidden]: of input and state, but for
                                // kGruLinear without that of Rh h
  const float* state_bias = nullptr;  // [hidden], kGruLinear: of Rh h
  const float* peepholes = nullptr;   // [3, hidden], kLstm; may be null
  GateFunction functions[3];
};

// Where row (t, d, b) of a tensor begins, in floats.
struct RecurrentStrides {
  int64_t step = 0;
  int64_t direction = 0;
  int64_t batch = 0;
  int64_t At(int64_t t, int64_t d, int64_t b) const {
    return t * step + d * direction + b * batch;
  }
};

struct RecurrentF32Args {
  RecurrentKind kind = RecurrentKind::kLstm;
  int64_t length = 0;
  int64_t batch = 0;
  int64_t input = 0;
  int64_t hidden = 0;
  int directions = 1;
  bool reverse = false;      // the first direction; a second one always is
  bool batch_first = false;  // x is [batch, length, input]
  bool input_forget = false;
  float clip = 0;
  RecurrentF32Weights weights[2];
  const float* x = nullptr;          // [length, batch, input]
  const int32_t* lengths = nullptr;  // [batch], at most `length`; null: all
  const float* h0 = nullptr;         // states before; null: 0
  const float* c0 = nullptr;
  float* y = nullptr;  // every state; these three may be null
  float* h = nullptr;  // the last ones
  float* c = nullptr;
  RecurrentStrides y_strides;
  RecurrentStrides state_strides;  // of h0, c0, h and c; no steps
  float* scratch = nullptr;        // RecurrentF32ScratchBytes
};

// For the recurrent matrix [gates * hidden, hidden] of one direction.
int64_t RecurrentF32PackedFloats(const RecurrentF32Kernel& kernel,
                                 RecurrentKind kind, int64_t hidden);
void RecurrentF32Pack(const RecurrentF32Kernel& kernel, RecurrentKind kind,
                      int64_t hidden, const float* r, float* packed);

int64_t RecurrentF32ScratchBytes(const RecurrentF32Args& args);

void RecurrentF32(const RecurrentF32Kernel& kernel, const GemmF32Kernel& gemm,
                  const RecurrentF32Args& args, ThreadPool* pool);

}  // namespace stint
