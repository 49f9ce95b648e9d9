// Every row of the table on the shapes of MiniLM, BERT and attention, hot;
// GFLOP/s. Threads are the last argument.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernels/gemm_f32/gemm_f32.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

void ReportFlops(benchmark::State& state, double flops) {
  state.counters["GFLOP/s"] = benchmark::Counter(
      flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void BM_Gemm(benchmark::State& state, const GemmF32Kernel* kernel) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  ThreadPool pool(static_cast<int>(state.range(3)));
  ThreadPool::Run run(&pool);
  const std::vector<float> a = RandomFloats(m * k, 1);
  const std::vector<float> b = RandomFloats(n * k, 2);
  std::vector<float> packed(GemmF32PackedBytes(*kernel, n, k) / 4);
  GemmF32PackB(*kernel, {b.data(), n, false}, n, k, packed.data(), &pool);
  std::vector<float> c(m * n);
  const GemmF32Args args{m, n, k, a.data(), k, packed.data(), c.data(), n};
  for (auto _ : state) GemmF32(*kernel, args, &pool);
  ReportFlops(state, 2.0 * m * n * k);
}

// 12 heads, scores: [128,32] x [128,32]^T.
void BM_Batch(benchmark::State& state, const GemmF32Kernel* kernel) {
  const int64_t batch = state.range(0);
  const int64_t m = state.range(1), n = state.range(2), k = state.range(3);
  ThreadPool pool(static_cast<int>(state.range(4)));
  ThreadPool::Run run(&pool);
  const std::vector<float> a = RandomFloats(batch * m * k, 1);
  const std::vector<float> b = RandomFloats(batch * n * k, 2);
  std::vector<float> c(batch * m * n);
  std::vector<float> scratch(
      GemmF32BatchScratchBytes(*kernel, n, k, pool.threads()) / 4);
  GemmF32BatchArgs args;
  args.one = {m, n, k, a.data(), k, nullptr, c.data(), n};
  args.b = {b.data(), k, true};
  args.batch = batch;
  args.a_stride = m * k;
  args.b_stride = n * k;
  args.c_stride = m * n;
  args.scratch = scratch.data();
  for (auto _ : state) GemmF32Batch(*kernel, args, &pool);
  ReportFlops(state, 2.0 * batch * m * n * k);
}

// Both operands stay in L1: what the arithmetic alone allows.
void BM_Tile(benchmark::State& state, const GemmF32Kernel* kernel) {
  const int64_t k = 64;
  const std::vector<float> a = RandomFloats(kernel->tile_m * k, 1);
  const std::vector<float> b = RandomFloats(kernel->tile_n * k, 2);
  std::vector<float> c(kernel->tile_m * kernel->tile_n);
  GemmF32Block block{};
  block.a = a.data();
  block.lda = block.k = k;
  block.b = b.data();
  block.c = c.data();
  block.ldb = block.ldc = block.n = kernel->tile_n;
  block.m = kernel->tile_m;
  block.finish = true;
  block.alpha = 1;
  for (auto _ : state) {
    kernel->run(block);
    benchmark::ClobberMemory();
  }
  ReportFlops(state, 2.0 * kernel->tile_m * kernel->tile_n * k);
}

const bool kRegistered = [] {
  for (const GemmF32Kernel& kernel : GemmF32Table()) {
    const std::string name = kernel.name;
    if (kernel.isa > DetectIsa() || name == "reference") continue;
    benchmark::RegisterBenchmark(("tile/" + name).c_str(), BM_Tile, &kernel);
    benchmark::RegisterBenchmark(("gemm/" + name).c_str(), BM_Gemm, &kernel)
        ->Args({128, 1536, 384, 1})
        ->Args({128, 1536, 384, 2})
        ->Args({128, 384, 1536, 2})
        ->Args({128, 384, 384, 2})
        ->Args({128, 3072, 768, 1})
        ->Args({128, 3072, 768, 2})
        ->Args({128, 768, 3072, 2})
        ->Args({16, 1536, 384, 2})
        ->Args({8, 1536, 384, 2})
        ->Args({1, 1536, 384, 2})
        ->Args({1, 1000, 2048, 2})
        ->UseRealTime();
    benchmark::RegisterBenchmark(("scores/" + name).c_str(), BM_Batch, &kernel)
        ->Args({12, 128, 128, 32, 1})
        ->Args({12, 128, 128, 32, 2})
        ->UseRealTime();
  }
  return true;
}();

}  // namespace
}  // namespace stint
