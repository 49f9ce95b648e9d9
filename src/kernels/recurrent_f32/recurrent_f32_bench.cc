// LSTM and GRU of 256 hidden units over 64 steps, every row of the table, hot;
// GFLOP/s. Sequences of the batch and threads are the arguments.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernels/recurrent_f32/recurrent_f32.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

constexpr int64_t kLength = 64;
constexpr int64_t kInput = 128;
constexpr int64_t kHidden = 256;

void BM_Layer(benchmark::State& state, const RecurrentF32Kernel* kernel,
              RecurrentKind kind) {
  const int64_t gates = kind == RecurrentKind::kLstm ? 4 : 3;
  const int64_t rows = gates * kHidden;
  const GemmF32Kernel& gemm = PickGemmF32(kernel->isa);
  RecurrentF32Args args;
  args.kind = kind;
  args.length = kLength;
  args.batch = state.range(0);
  args.input = kInput;
  args.hidden = kHidden;
  const std::vector<float> x = RandomFloats(kLength * args.batch * kInput, 1);
  const std::vector<float> w = RandomFloats(rows * kInput, 2);
  std::vector<float> r = RandomFloats(rows * kHidden, 3);
  for (float& value : r) value *= 0.1f;
  const std::vector<float> bias = RandomFloats(rows + kHidden, 4);
  std::vector<float> packed_w(GemmF32PackedBytes(gemm, rows, kInput) / 4);
  std::vector<float> packed_r(RecurrentF32PackedFloats(*kernel, kind, kHidden));
  GemmF32PackB(gemm, {w.data(), kInput, true}, rows, kInput, packed_w.data(),
               nullptr);
  RecurrentF32Pack(*kernel, kind, kHidden, r.data(), packed_r.data());
  args.weights[0].w = packed_w.data();
  args.weights[0].r = packed_r.data();
  args.weights[0].bias = bias.data();
  args.weights[0].state_bias = bias.data() + rows;
  args.weights[0].functions[0].curve = GateCurve::kSigmoid;
  std::vector<float> y(kLength * args.batch * kHidden);
  args.x = x.data();
  args.y = y.data();
  args.y_strides = {args.batch * kHidden, 0, kHidden};
  std::vector<float> scratch(RecurrentF32ScratchBytes(args) / 4);
  args.scratch = scratch.data();
  ThreadPool pool(static_cast<int>(state.range(1)));
  ThreadPool::Run run(&pool);
  for (auto _ : state) RecurrentF32(*kernel, gemm, args, &pool);
  state.counters["GFLOP/s"] = benchmark::Counter(
      2e-9 *
          static_cast<double>(kLength * args.batch * rows * (kInput + kHidden)),
      benchmark::Counter::kIsIterationInvariantRate);
}

const bool kRegistered = [] {
  for (const RecurrentF32Kernel& kernel : RecurrentF32Table()) {
    if (kernel.isa > DetectIsa()) continue;
    for (const auto& [name, kind] :
         {std::pair("lstm/", RecurrentKind::kLstm),
          std::pair("gru/", RecurrentKind::kGruLinear)}) {
      benchmark::RegisterBenchmark((std::string(name) + kernel.name).c_str(),
                                   BM_Layer, &kernel, kind)
          ->ArgsProduct({{1, 4, 8, 64}, {1, 2}})
          ->UseRealTime();
    }
  }
  return true;
}();

}  // namespace
}  // namespace stint
