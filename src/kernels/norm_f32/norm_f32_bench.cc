// Layer normalization of 128 x 384 and batch normalization of 64 x 56 x 56,
// every ISA level, one thread; billions of elements per second.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernels/norm_f32/norm_f32.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

void Report(benchmark::State& state, int64_t count) {
  state.counters["Gelem/s"] = benchmark::Counter(
      count * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void BM_Layer(benchmark::State& state, const NormF32Kernel* kernel) {
  const int64_t rows = 128, n = 384;
  const std::vector<float> x = RandomFloats(rows * n, 1);
  std::vector<float> y(rows * n);
  const RowNormF32Args args{x.data(), y.data(), rows, n, x.data(), x.data()};
  for (auto _ : state) kernel->layer(args);
  Report(state, rows * n);
}

void BM_Channel(benchmark::State& state, const NormF32Kernel* kernel) {
  const int64_t channels = 64, inner = 56 * 56;
  const std::vector<float> x = RandomFloats(channels * inner, 1);
  std::vector<float> y(channels * inner);
  ChannelNormF32Args args{x.data(), y.data(), 1,       channels,
                          inner,    x.data(), x.data()};
  args.end = channels;
  for (auto _ : state) kernel->channel(args);
  Report(state, channels * inner);
}

const bool kRegistered = [] {
  for (const NormF32Kernel& kernel : NormF32Table()) {
    if (kernel.isa > DetectIsa()) continue;
    const std::string suffix = std::string("/") + kernel.name;
    benchmark::RegisterBenchmark(("layer" + suffix).c_str(), BM_Layer, &kernel);
    benchmark::RegisterBenchmark(("channel" + suffix).c_str(), BM_Channel,
                                 &kernel);
  }
  return true;
}();

}  // namespace
}  // namespace stint
