// Elementwise functions of transformers and CNNs on 128 x 1536 floats, every
// ISA level, one thread; billions of elements per second.

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "kernels/eltwise_f32/eltwise_f32.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

constexpr int64_t kCount = 128 * 1536;

void Report(benchmark::State& state) {
  state.counters["Gelem/s"] = benchmark::Counter(
      kCount * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void BM_Unary(benchmark::State& state, UnaryF32Fn run) {
  const std::vector<float> x = RandomFloats(kCount, 1);
  std::vector<float> y(kCount);
  for (auto _ : state) run({x.data(), y.data(), kCount, 0, 1});
  Report(state);
}

void BM_Add(benchmark::State& state, BinaryF32Fn run) {
  const std::vector<float> x = RandomFloats(kCount, 1);
  std::vector<float> y(kCount);
  const BinaryF32Args args{
      {x.data(), 0, 1}, {x.data(), 0, 1}, y.data(), kCount, 1, kCount};
  for (auto _ : state) run(args);
  Report(state);
}

const bool kRegistered = [] {
  const std::pair<const char*, UnaryOp> ops[] = {
      {"relu", UnaryOp::kRelu},         {"exp", UnaryOp::kExp},
      {"erf", UnaryOp::kErf},           {"tanh", UnaryOp::kTanh},
      {"sigmoid", UnaryOp::kSigmoid},   {"gelu_erf", UnaryOp::kGeluErf},
      {"gelu_tanh", UnaryOp::kGeluTanh}};
  for (const EltwiseF32Kernel& kernel : EltwiseF32Table()) {
    if (kernel.isa > DetectIsa()) continue;
    const std::string suffix = std::string("/") + kernel.name;
    for (const auto& [name, op] : ops) {
      benchmark::RegisterBenchmark((name + suffix).c_str(), BM_Unary,
                                   kernel.unary(op));
    }
    benchmark::RegisterBenchmark(("add" + suffix).c_str(), BM_Add,
                                 kernel.binary(BinaryOp::kAdd));
  }
  return true;
}();

}  // namespace
}  // namespace stint
