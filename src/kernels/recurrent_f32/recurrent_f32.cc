#include "kernels/recurrent_f32/recurrent_f32.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace stint {
namespace {

using Stage = RecurrentStage;

// Sequences whose rows are known at a time; their states stay in L1 while
// groups of weights pass.
constexpr int64_t kRowsAtOnce = 32;
// Per row: two states in turn, the cell, a gate, the state that was reset.
constexpr int64_t kStates = 5;
// Products of a step by one thread, from which on two share it: handing a part
// over takes about as long as 8K of them.
constexpr int64_t kProductsToShare = 32 * 1024;

int64_t GateCount(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::kRnn:
      return 1;
    case RecurrentKind::kGru:
    case RecurrentKind::kGruLinear:
      return 3;
    case RecurrentKind::kLstm:
      return 4;
  }
  return 0;
}

// The stages of a step, and the first gate of each.
struct StagePlan {
  Stage stage;
  int64_t first_gate;
};
struct StepPlan {
  StagePlan stages[2];
  int count;
};
StepPlan PlanStep(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::kRnn:
      return {{{Stage::kRnn, 0}, {}}, 1};
    case RecurrentKind::kGru:
      return {{{Stage::kGruGates, 0}, {Stage::kGruState, 2}}, 2};
    case RecurrentKind::kGruLinear:
      return {{{Stage::kGruLinear, 0}, {}}, 1};
    case RecurrentKind::kLstm:
      break;
  }
  return {{{Stage::kLstm, 0}, {}}, 1};
}

int64_t PackedFloats(const RecurrentF32Kernel& kernel, int64_t gates,
                     int64_t hidden) {
  return RoundUp(hidden, kernel.width) * hidden * gates;
}

// Sequences [begin, end) of one direction, from the first step to the last.
class SequenceRun {
 public:
  SequenceRun(const RecurrentF32Kernel& kernel, const RecurrentF32Args& args,
              int64_t direction)
      : kernel_(kernel),
        a_(args),
        d_(direction),
        gates_(GateCount(args.kind)),
        plan_(PlanStep(args.kind)),
        inputs_(args.scratch +
                d_ * args.length * args.batch * gates_ * args.hidden),
        states_(args.scratch +
                args.directions * args.length * args.batch * gates_ *
                    args.hidden +
                d_ * args.batch * kStates * args.hidden) {}

  // What the input gives to the gates at all steps.
  void Multiply(const GemmF32Kernel& gemm, ThreadPool* pool) const {
    GemmF32Args product;
    product.m = a_.length * a_.batch;
    product.n = gates_ * a_.hidden;
    product.k = a_.input;
    product.a = a_.x;
    product.lda = a_.input;
    product.b = weights().w;
    product.c = inputs_;
    product.ldc = product.n;
    product.bias_n = weights().bias;
    GemmF32(gemm, product, pool);
  }

  // `pool` shares each step; null: this thread alone.
  void Run(int64_t begin, int64_t end, ThreadPool* pool) const {
    for (int64_t b = begin; b < end; b += kRowsAtOnce) {
      RunRows(b, std::min(b + kRowsAtOnce, end), pool);
    }
  }

 private:
  const RecurrentF32Weights& weights() const { return a_.weights[d_]; }
  bool backward() const { return d_ == 1 || a_.reverse; }
  int64_t LengthOf(int64_t b) const {
    return a_.lengths ? a_.lengths[b] : a_.length;
  }
  float* StateOf(int64_t b, int64_t which) const {
    return states_ + (b * kStates + which) * a_.hidden;
  }
  float* CellOf(int64_t b) const { return StateOf(b, 2); }

  void RunRows(int64_t begin, int64_t end, ThreadPool* pool) const {
    const float* h[kRowsAtOnce];
    int64_t longest = 0;
    for (int64_t b = begin; b < end; ++b) {
      h[b - begin] = StateOf(b, 0);
      Load(a_.h0, b, StateOf(b, 0));
      if (a_.kind == RecurrentKind::kLstm) Load(a_.c0, b, CellOf(b));
      longest = std::max(longest, LengthOf(b));
    }
    for (int64_t step = 0; step < longest; ++step) {
      RecurrentRow rows[kRowsAtOnce];
      int64_t count = 0;
      for (int64_t b = begin; b < end; ++b) {
        if (step >= LengthOf(b)) continue;
        rows[count] = RowAt(b, step, h[b - begin]);
        h[b - begin] = rows[count++].to;
      }
      RunStep(rows, count, pool);
    }
    for (int64_t b = begin; b < end; ++b) Store(b, h[b - begin]);
  }

  RecurrentRow RowAt(int64_t b, int64_t step, const float* h) const {
    const int64_t t = backward() ? LengthOf(b) - 1 - step : step;
    const int64_t row = a_.batch_first ? b * a_.length + t : t * a_.batch + b;
    RecurrentRow at;
    at.x = inputs_ + row * gates_ * a_.hidden;
    at.h = h;
    at.to = a_.y ? a_.y + a_.y_strides.At(t, d_, b)
                 : StateOf(b, h == StateOf(b, 0) ? 1 : 0);
    at.c = CellOf(b);
    at.gate = StateOf(b, 3);
    at.reset = StateOf(b, 4);
    return at;
  }

  void RunStep(const RecurrentRow* rows, int64_t count,
               ThreadPool* pool) const {
    RecurrentBlock block;
    block.hidden = block.gate_stride = a_.hidden;
    block.rows = rows;
    block.num_rows = count;
    block.bias = weights().state_bias;
    block.peepholes = weights().peepholes;
    std::copy_n(weights().functions, 3, block.functions);
    block.clip = a_.clip;
    block.input_forget = a_.input_forget;
    for (int s = 0; s < plan_.count; ++s) {
      const StagePlan& stage = plan_.stages[s];
      block.stage = stage.stage;
      block.r =
          weights().r + PackedFloats(kernel_, stage.first_gate, a_.hidden);
      RunGroups(block, pool);
    }
  }

  void RunGroups(const RecurrentBlock& block, ThreadPool* pool) const {
    const int64_t groups = CeilDiv(a_.hidden, kernel_.width);
    const auto run = [&](int64_t begin, int64_t end) {
      RecurrentBlock part = block;
      part.begin = begin;
      part.end = end;
      kernel_.run(part);
    };
    if (pool == nullptr) return run(0, groups);
    const int64_t products =
        block.num_rows * a_.hidden * GatesOf(block.stage) * kernel_.width;
    pool->ParallelFor(groups, CeilDiv(kProductsToShare, products), run);
  }

  void Load(const float* from, int64_t b, float* state) const {
    if (from == nullptr) {
      std::fill_n(state, a_.hidden, 0.0f);
    } else {
      std::copy_n(from + a_.state_strides.At(0, d_, b), a_.hidden, state);
    }
  }

  // What is behind a sequence's end is 0.
  void Store(int64_t b, const float* h) const {
    const int64_t at = a_.state_strides.At(0, d_, b);
    if (a_.h) std::copy_n(h, a_.hidden, a_.h + at);
    if (a_.c) std::copy_n(CellOf(b), a_.hidden, a_.c + at);
    if (a_.y == nullptr) return;
    for (int64_t t = LengthOf(b); t < a_.length; ++t) {
      std::fill_n(a_.y + a_.y_strides.At(t, d_, b), a_.hidden, 0.0f);
    }
  }

  const RecurrentF32Kernel& kernel_;
  const RecurrentF32Args& a_;
  const int64_t d_;
  const int64_t gates_;
  const StepPlan plan_;
  float* inputs_;  // [length * batch, gates * hidden]
  float* states_;  // [batch, kStates, hidden]
};

}  // namespace

int64_t RecurrentF32PackedFloats(const RecurrentF32Kernel& kernel,
                                 RecurrentKind kind, int64_t hidden) {
  return PackedFloats(kernel, GateCount(kind), hidden);
}

// By stage, by group of `width` units: [hidden, gates of the stage, width].
void RecurrentF32Pack(const RecurrentF32Kernel& kernel, RecurrentKind kind,
                      int64_t hidden, const float* r, float* packed) {
  const StepPlan plan = PlanStep(kind);
  for (int s = 0; s < plan.count; ++s) {
    const StagePlan& stage = plan.stages[s];
    for (int64_t first = 0; first < hidden; first += kernel.width) {
      for (int64_t k = 0; k < hidden; ++k) {
        for (int64_t g = 0; g < GatesOf(stage.stage); ++g) {
          const float* gate = r + (stage.first_gate + g) * hidden * hidden;
          for (int64_t j = first; j < first + kernel.width; ++j) {
            *packed++ = j < hidden ? gate[j * hidden + k] : 0;
          }
        }
      }
    }
  }
}

int64_t RecurrentF32ScratchBytes(const RecurrentF32Args& args) {
  const int64_t rows = args.directions * args.batch;
  const int64_t numbers = args.length * GateCount(args.kind) + kStates;
  return rows * numbers * args.hidden * static_cast<int64_t>(sizeof(float));
}

void RecurrentF32(const RecurrentF32Kernel& kernel, const GemmF32Kernel& gemm,
                  const RecurrentF32Args& args, ThreadPool* pool) {
  for (int d = 0; d < args.directions; ++d) {
    SequenceRun(kernel, args, d).Multiply(gemm, pool);
  }
  const int64_t all = args.directions * args.batch;
  if (all == 1) return SequenceRun(kernel, args, 0).Run(0, 1, pool);
  // Directions one after the other, so that a thread has few of both.
  pool->ParallelFor(all, 1, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t d = begin / args.batch;
      const int64_t last = std::min(end, (d + 1) * args.batch);
      SequenceRun(kernel, args, d)
          .Run(begin - d * args.batch, last - d * args.batch, nullptr);
      begin = last;
    }
  });
}

}  // namespace stint
