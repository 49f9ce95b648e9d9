// Softmax of attention scores, 12 heads x 128 x 128, every ISA level, one
// thread; billions of elements per second.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernels/softmax_f32/softmax_f32.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

void BM_Softmax(benchmark::State& state, const SoftmaxF32Kernel* kernel) {
  const int64_t rows = 12 * 128, n = 128;
  const std::vector<float> x = RandomFloats(rows * n, 1);
  std::vector<float> y(rows * n);
  for (auto _ : state) kernel->run({x.data(), y.data(), rows, n});
  state.counters["Gelem/s"] = benchmark::Counter(
      rows * n * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

const bool kRegistered = [] {
  for (const SoftmaxF32Kernel& kernel : SoftmaxF32Table()) {
    if (kernel.isa > DetectIsa()) continue;
    const std::string name = std::string("softmax/") + kernel.name;
    benchmark::RegisterBenchmark(name.c_str(), BM_Softmax, &kernel);
  }
  return true;
}();

}  // namespace
}  // namespace stint
