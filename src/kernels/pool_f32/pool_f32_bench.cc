// The pooling layers of ResNet-50, every ISA level, one thread; billions of
// window elements per second.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "core/platform/thread_pool.h"
#include "kernels/pool_f32/pool_f32.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

void Report(benchmark::State& state, int64_t count) {
  state.counters["Gelem/s"] = benchmark::Counter(
      count * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void BM_Pool(benchmark::State& state, const PoolF32Kernel* kernel,
             PoolKind kind) {
  ThreadPool pool(1);
  PoolF32Args args;
  args.kind = kind;
  args.planes = 64;
  args.h = args.w = {112, 56, 3, 2, 1, 1};
  const std::vector<float> x = RandomFloats(64 * 112 * 112, 1);
  std::vector<float> y(64 * 56 * 56);
  std::vector<float> scratch(PoolF32ScratchBytes(args, 1) / 4);
  args.x = x.data();
  args.y = y.data();
  args.scratch = scratch.data();
  for (auto _ : state) PoolF32(*kernel, args, &pool);
  Report(state, 64 * 56 * 56 * 9);
}

void BM_Global(benchmark::State& state, const PoolF32Kernel* kernel) {
  ThreadPool pool(1);
  const std::vector<float> x = RandomFloats(2048 * 49, 1);
  std::vector<float> y(2048);
  for (auto _ : state) {
    GlobalAverageF32(*kernel, {x.data(), y.data(), 2048, 49}, &pool);
  }
  Report(state, 2048 * 49);
}

const bool kRegistered = [] {
  for (const PoolF32Kernel& kernel : PoolF32Table()) {
    if (kernel.isa > DetectIsa()) continue;
    const std::string suffix = std::string("/") + kernel.name;
    benchmark::RegisterBenchmark(("max" + suffix).c_str(), BM_Pool, &kernel,
                                 PoolKind::kMax);
    benchmark::RegisterBenchmark(("average" + suffix).c_str(), BM_Pool, &kernel,
                                 PoolKind::kAverage);
    benchmark::RegisterBenchmark(("global" + suffix).c_str(), BM_Global,
                                 &kernel);
  }
  return true;
}();

}  // namespace
}  // namespace stint
