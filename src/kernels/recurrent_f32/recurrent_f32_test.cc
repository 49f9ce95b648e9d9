#include "kernels/recurrent_f32/recurrent_f32.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/recurrent_f32/reference.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

struct Sizes {
  int64_t length = 3;
  int64_t batch = 2;
  int64_t input = 4;
  int64_t hidden = 16;
  int directions = 1;
};

int64_t GatesOfKind(RecurrentKind kind) {
  if (kind == RecurrentKind::kRnn) return 1;
  return kind == RecurrentKind::kLstm ? 4 : 3;
}

// A layer with random weights, and the functions it usually has.
class Layer {
 public:
  Layer(RecurrentKind kind, const Sizes& s)
      : sizes_(s), kind_(kind), gates_(GatesOfKind(kind)) {
    const int64_t rows = s.directions * gates_ * s.hidden;
    x_ = RandomFloats(s.length * s.batch * s.input, 1);
    w_ = RandomFloats(rows * s.input, 2);
    r_ = RandomFloats(rows * s.hidden, 3);
    for (float& r : r_) r *= 0.3f;
    bias_ = RandomFloats(rows, 4);
    state_bias_ = RandomFloats(s.directions * s.hidden, 5);
    peepholes_ = RandomFloats(s.directions * 3 * s.hidden, 6);
    states_ = RandomFloats(2 * s.directions * s.batch * s.hidden, 7);
  }

  // Every state, then the last ones and cells.
  std::vector<float> Run(const RecurrentF32Kernel& kernel, int threads,
                         bool every = true) const {
    RecurrentF32Args args = MakeArgs();
    const GemmF32Kernel& gemm = PickGemmF32(kernel.isa);
    const auto packed = Pack(kernel, gemm, &args);
    const int64_t last = sizes_.directions * sizes_.batch * sizes_.hidden;
    std::vector<float> out((sizes_.length + 2) * last, 777);
    args.y = every ? out.data() : nullptr;
    args.h = out.data() + sizes_.length * last;
    args.c = kind_ == RecurrentKind::kLstm ? args.h + last : nullptr;
    std::vector<float> scratch(RecurrentF32ScratchBytes(args) / 4);
    args.scratch = scratch.data();
    ThreadPool pool(threads);
    RecurrentF32(kernel, gemm, args, &pool);
    return out;
  }

 private:
  RecurrentF32Args MakeArgs() const {
    RecurrentF32Args args;
    args.kind = kind_;
    args.length = sizes_.length;
    args.batch = sizes_.batch;
    args.input = sizes_.input;
    args.hidden = sizes_.hidden;
    args.directions = sizes_.directions;
    args.x = x_.data();
    args.h0 = states_.data();
    args.c0 = states_.data() + states_.size() / 2;
    const int64_t one = sizes_.batch * sizes_.hidden;
    args.y_strides = {sizes_.directions * one, one, sizes_.hidden};
    args.state_strides = {0, one, sizes_.hidden};
    for (int d = 0; d < sizes_.directions; ++d) {
      RecurrentF32Weights& weights = args.weights[d];
      weights.bias = bias_.data() + d * gates_ * sizes_.hidden;
      weights.state_bias = state_bias_.data() + d * sizes_.hidden;
      weights.peepholes = peepholes_.data() + d * 3 * sizes_.hidden;
      weights.functions[0].curve =
          kind_ == RecurrentKind::kRnn ? GateCurve::kTanh : GateCurve::kSigmoid;
    }
    return args;
  }

  std::vector<std::vector<float>> Pack(const RecurrentF32Kernel& kernel,
                                       const GemmF32Kernel& gemm,
                                       RecurrentF32Args* args) const {
    const int64_t rows = gates_ * sizes_.hidden;
    std::vector<std::vector<float>> packed;
    for (int d = 0; d < sizes_.directions; ++d) {
      packed.emplace_back(GemmF32PackedBytes(gemm, rows, sizes_.input) / 4);
      GemmF32PackB(gemm,
                   {w_.data() + d * rows * sizes_.input, sizes_.input, true},
                   rows, sizes_.input, packed.back().data(), nullptr);
      args->weights[d].w = packed.back().data();
      packed.emplace_back(
          RecurrentF32PackedFloats(kernel, kind_, sizes_.hidden));
      RecurrentF32Pack(kernel, kind_, sizes_.hidden,
                       r_.data() + d * rows * sizes_.hidden,
                       packed.back().data());
      args->weights[d].r = packed.back().data();
    }
    return packed;
  }

  const Sizes sizes_;
  const RecurrentKind kind_;
  const int64_t gates_;
  std::vector<float> x_, w_, r_, bias_, state_bias_, peepholes_, states_;
};

constexpr RecurrentKind kKinds[] = {RecurrentKind::kRnn, RecurrentKind::kGru,
                                    RecurrentKind::kGruLinear,
                                    RecurrentKind::kLstm};

void Check(const Sizes& sizes) {
  const RecurrentF32Kernel& reference = RecurrentF32Table().back();
  for (RecurrentKind kind : kKinds) {
    const Layer layer(kind, sizes);
    const std::vector<float> want = layer.Run(reference, 1);
    for (const RecurrentF32Kernel& kernel : RecurrentF32Table()) {
      if (kernel.isa > DetectIsa()) continue;
      for (int threads : {1, 2}) {
        SCOPED_TRACE(testing::Message()
                     << kernel.name << " kind " << static_cast<int>(kind)
                     << " hidden " << sizes.hidden << " batch " << sizes.batch
                     << " threads " << threads);
        ExpectClose(layer.Run(kernel, threads), want, 2e-5);
      }
    }
  }
}

TEST(RecurrentF32, MatchesReferenceAroundTheVector) {
  for (int64_t hidden : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 100}) {
    Check({.hidden = hidden});
  }
}

TEST(RecurrentF32, MatchesReferenceForEveryBatch) {
  for (int64_t batch : {1, 2, 3, 4, 5, 6, 7, 8, 13, 24, 31, 33, 64, 65}) {
    Check({.batch = batch, .hidden = 19});
  }
}

TEST(RecurrentF32, TakesInputsAFewStepsAtATime) {
  for (int64_t batch : {1, 7, 64}) {
    Check({.length = 200, .batch = batch, .hidden = 9, .directions = 2});
  }
}

TEST(RecurrentF32, RunsTwoDirections) {
  for (int64_t batch : {1, 5}) Check({.batch = batch, .directions = 2});
}

// Large enough for two threads to share its steps.
TEST(RecurrentF32, OneSequenceAnswersTheSameOnAnyNumberOfThreads) {
  for (RecurrentKind kind : kKinds) {
    const Layer layer(kind, {.batch = 1, .hidden = 300});
    for (const RecurrentF32Kernel& kernel : RecurrentF32Table()) {
      if (kernel.isa > DetectIsa()) continue;
      EXPECT_EQ(layer.Run(kernel, 1), layer.Run(kernel, 2)) << kernel.name;
    }
  }
}

TEST(RecurrentF32, LastStatesNeedNotHaveTheOthers) {
  const Sizes sizes = {.length = 4, .batch = 3};
  const auto states =
      static_cast<std::ptrdiff_t>(2 * sizes.batch * sizes.hidden);
  for (RecurrentKind kind : kKinds) {
    const Layer layer(kind, sizes);
    const RecurrentF32Kernel& kernel = RecurrentF32Table()[0];
    const auto all = layer.Run(kernel, 1);
    const auto last = layer.Run(kernel, 1, false);
    EXPECT_EQ(std::vector<float>(all.end() - states, all.end()),
              std::vector<float>(last.end() - states, last.end()));
  }
}

TEST(RecurrentF32, EveryGateFunctionMatchesReference) {
  for (int curve = 0; curve <= static_cast<int>(GateCurve::kThresholdedRelu);
       ++curve) {
    const GateFunction f = {static_cast<GateCurve>(curve), 0.7f, 0.2f};
    std::vector<float> x = RandomFloats(16, 3), h(16), r(16 * 16);
    for (float& value : x) value *= 6;
    const RecurrentF32Kernel& reference = RecurrentF32Table().back();
    for (const RecurrentF32Kernel& kernel : RecurrentF32Table()) {
      if (kernel.isa > DetectIsa()) continue;
      std::vector<float> got(16), want(16);
      const auto run = [&](const RecurrentF32Kernel& k, float* to) {
        RecurrentRow row;
        row.x = x.data();
        row.h = h.data();
        row.to = to;
        RecurrentBlock block;
        block.hidden = block.gate_stride = 16;
        block.r = r.data();
        block.rows = &row;
        block.num_rows = 1;
        block.end = 16 / k.width;
        block.functions[0] = f;
        k.run(block);
      };
      run(kernel, got.data());
      run(reference, want.data());
      SCOPED_TRACE(testing::Message() << kernel.name << " curve " << curve);
      ExpectClose(got, want, 2e-6);
    }
  }
}

}  // namespace
}  // namespace stint
