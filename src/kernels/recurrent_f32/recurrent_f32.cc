#include "kernels/recurrent_f32/recurrent_f32.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/recurrent_f32/step_plan.h"

namespace stint {
namespace {

// Sequences whose rows are known at a time; their states stay in L1 while
// groups of weights pass.
constexpr int64_t kRowsAtOnce = 64;
// Per row: two states in turn, the cell, a gate, the state that was reset.
constexpr int64_t kStates = 5;
// Rows of inputs whose gates are there at a time: they stay in L2 until steps
// read them, and the input's weights are read once for all of them.
constexpr int64_t kRowsOfInputs = 96;
// Of one sequence, where those of different ones do not follow each other.
constexpr int64_t kLeastSteps = 32;
// Products of a step by one thread, from which on two share it: handing a part
// over takes about as long as 8K of them.
constexpr int64_t kProductsToShare = 32 * 1024;

// Steps that are computed for all sequences before the next ones are.
int64_t StepsAtOnce(const RecurrentF32Args& args) {
  // From the end of each sequence, steps are at different places.
  const bool ragged = args.lengths && (args.reverse || args.directions == 2);
  if (ragged || args.batch == 0) return args.length;
  const int64_t steps =
      std::max<int64_t>(args.batch_first && args.batch > 1 ? kLeastSteps : 1,
                        kRowsOfInputs / args.batch);
  return std::min(steps, args.length);
}

// Steps [first, last).
struct Steps {
  int64_t first;
  int64_t last;
};

// One direction.
class SequenceRun {
 public:
  SequenceRun(const RecurrentF32Kernel& kernel, const RecurrentF32Args& args,
              int64_t direction)
      : kernel_(kernel),
        a_(args),
        d_(direction),
        gates_(GateCount(args.kind)),
        plan_(PlanStep(args.kind)),
        steps_at_once_(StepsAtOnce(args)) {
    const int64_t inputs = steps_at_once_ * args.batch * gates_ * args.hidden;
    inputs_ = args.scratch + d_ * inputs;
    states_ = args.scratch + args.directions * inputs +
              d_ * args.batch * kStates * args.hidden;
  }

  // What the input gives to the gates.
  void Multiply(const Steps& steps, const GemmF32Kernel& gemm,
                ThreadPool* pool) const {
    GemmF32Args product;
    product.n = gates_ * a_.hidden;
    product.k = product.lda = a_.input;
    product.ldc = product.n;
    product.b = weights().w;
    product.bias_n = weights().bias;
    const int64_t t = FirstTime(steps);
    const int64_t count = steps.last - steps.first;
    const int64_t parts = a_.batch_first ? a_.batch : 1;
    product.m = a_.batch_first ? count : count * a_.batch;
    for (int64_t i = 0; i < parts; ++i) {
      product.a =
          a_.x + (a_.batch_first ? i * a_.length + t : t * a_.batch) * a_.input;
      product.c = inputs_ + i * count * product.n;
      GemmF32(gemm, product, pool);
    }
  }

  // Sequences [begin, end); `pool` shares each step, null: this thread alone.
  void Run(int64_t begin, int64_t end, const Steps& steps,
           ThreadPool* pool) const {
    for (int64_t b = begin; b < end; b += kRowsAtOnce) {
      RunRows(b, std::min(b + kRowsAtOnce, end), steps, pool);
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

  // The place of the first of the inputs of these steps.
  int64_t FirstTime(const Steps& steps) const {
    return backward() ? a_.length - steps.last : steps.first;
  }
  int64_t TimeOf(int64_t b, int64_t step) const {
    return backward() ? LengthOf(b) - 1 - step : step;
  }
  // Of sequence b after so many steps.
  float* StateAfter(int64_t b, int64_t steps) const {
    if (steps == 0) return StateOf(b, 0);
    if (a_.y) return a_.y + a_.y_strides.At(TimeOf(b, steps - 1), d_, b);
    return StateOf(b, steps % 2);
  }

  void RunRows(int64_t begin, int64_t end, const Steps& steps,
               ThreadPool* pool) const {
    for (int64_t b = begin; b < end && steps.first == 0; ++b) {
      Load(a_.h0, b, StateOf(b, 0));
      if (a_.kind == RecurrentKind::kLstm) Load(a_.c0, b, CellOf(b));
    }
    for (int64_t step = steps.first; step < steps.last; ++step) {
      RecurrentRow rows[kRowsAtOnce];
      int64_t count = 0;
      for (int64_t b = begin; b < end; ++b) {
        if (step < LengthOf(b)) rows[count++] = RowAt(b, step, steps);
      }
      if (count > 0) RunStep({rows, count, step % 2 == 1}, pool);
    }
    for (int64_t b = begin; b < end && steps.last == a_.length; ++b) Store(b);
  }

  RecurrentRow RowAt(int64_t b, int64_t step, const Steps& steps) const {
    const int64_t t = TimeOf(b, step) - FirstTime(steps);
    const int64_t count = steps.last - steps.first;
    const int64_t row = a_.batch_first ? b * count + t : t * a_.batch + b;
    RecurrentRow at;
    at.x = inputs_ + row * gates_ * a_.hidden;
    at.h = StateAfter(b, step);
    at.to = StateAfter(b, step + 1);
    at.c = CellOf(b);
    at.gate = StateOf(b, 3);
    at.reset = StateOf(b, 4);
    return at;
  }

  struct StepRows {
    const RecurrentRow* rows;
    int64_t count;
    bool turned;
  };

  void RunStep(const StepRows& step, ThreadPool* pool) const {
    RecurrentBlock block;
    block.hidden = block.gate_stride = a_.hidden;
    block.rows = step.rows;
    block.num_rows = step.count;
    block.turned = step.turned;
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
  void Store(int64_t b) const {
    const float* h = StateAfter(b, LengthOf(b));
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
  const int64_t steps_at_once_;
  float* inputs_;  // of these steps: [steps * batch, gates * hidden]
  float* states_;  // [batch, kStates, hidden]
};

}  // namespace

int64_t RecurrentF32ScratchBytes(const RecurrentF32Args& args) {
  const int64_t rows = args.directions * args.batch;
  const int64_t numbers = StepsAtOnce(args) * GateCount(args.kind) + kStates;
  return rows * numbers * args.hidden * static_cast<int64_t>(sizeof(float));
}

void RecurrentF32(const RecurrentF32Kernel& kernel, const GemmF32Kernel& gemm,
                  const RecurrentF32Args& args, ThreadPool* pool) {
  const SequenceRun runs[2] = {{kernel, args, 0}, {kernel, args, 1}};
  const int64_t at_once = StepsAtOnce(args);
  const int64_t all = args.directions * args.batch;
  Steps steps = {0, 0};
  do {
    steps.last = std::min(steps.first + at_once, args.length);
    for (int d = 0; d < args.directions; ++d) {
      runs[d].Multiply(steps, gemm, pool);
    }
    if (all == 1) {
      runs[0].Run(0, 1, steps, pool);
    } else {
      // One direction behind the other, so that a thread has few of both.
      pool->ParallelFor(all, 1, [&](int64_t begin, int64_t end) {
        while (begin < end) {
          const int64_t d = begin / args.batch;
          const int64_t last = std::min(end, (d + 1) * args.batch);
          runs[d].Run(begin - d * args.batch, last - d * args.batch, steps,
                      nullptr);
          begin = last;
        }
      });
    }
    steps.first = steps.last;
  } while (steps.first < args.length);
}

}  // namespace stint
