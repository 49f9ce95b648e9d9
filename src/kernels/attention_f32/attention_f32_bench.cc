// Fused attention over packed q, k, v against two batched GEMMs with a softmax
// between them (which get q, k, v already apart), timed in turn; best of all.
// Arguments: batch, heads, length, head size, threads.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/platform/clock.h"
#include "kernels/attention_f32/attention_f32.h"
#include "kernels/gemm_f32/gemm_f32.h"
#include "kernels/softmax_f32/softmax_f32.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

struct Shape {
  int64_t batch;
  int64_t heads;
  int64_t length;
  int64_t size;
};

struct Fused {
  Fused(const AttentionF32Kernel& kernel, const Shape& s, int threads)
      : kernel(kernel),
        qkv(RandomFloats(s.batch * s.length * s.heads * s.size * 3, 1)),
        out(qkv.size() / 3) {
    const int64_t hidden = s.heads * s.size;
    args.batch = s.batch;
    args.heads = s.heads;
    args.length_q = args.length_k = s.length;
    args.head_size = s.size;
    args.scale = 0.125f;
    args.q = {qkv.data(), s.length * hidden * 3, hidden * 3, s.size};
    args.k = args.v = args.q;
    args.k.data += hidden;
    args.v.data += 2 * hidden;
    args.out = {out.data(), s.length * hidden, hidden, s.size};
    scratch.resize(AttentionF32ScratchBytes(kernel, args, threads) / 4);
    args.scratch = scratch.data();
  }
  void Run(ThreadPool* pool) { AttentionF32(kernel, args, pool); }
  const AttentionF32Kernel& kernel;
  std::vector<float> qkv;
  std::vector<float> out;
  std::vector<float> scratch;
  AttentionF32Args args;
};

struct Separate {
  Separate(Isa isa, const Shape& s, int threads)
      : gemm(PickGemmF32(isa)),
        softmax(PickSoftmaxF32(isa)),
        q(RandomFloats(s.batch * s.heads * s.length * s.size, 1)),
        scores(s.batch * s.heads * s.length * s.length),
        out(q.size()) {
    const int64_t batch = s.batch * s.heads;
    scratch.resize(std::max(
        GemmF32BatchScratchBytes(gemm, s.length, s.size, threads) / 4,
        GemmF32BatchScratchBytes(gemm, s.size, s.length, threads) / 4));
    score_args.one = {s.length, s.length, s.size,        q.data(),
                      s.size,   nullptr,  scores.data(), s.length};
    score_args.one.alpha = 0.125f;
    score_args.b = {q.data(), s.size, true};
    score_args.c_stride = s.length * s.length;
    value_args.one = {s.length, s.size,  s.length,   scores.data(),
                      s.length, nullptr, out.data(), s.size};
    value_args.b = {q.data(), s.size, false};
    score_args.a_stride = score_args.b_stride = s.length * s.size;
    value_args.b_stride = value_args.c_stride = s.length * s.size;
    value_args.a_stride = s.length * s.length;
    score_args.batch = value_args.batch = batch;
    score_args.scratch = value_args.scratch = scratch.data();
    softmax_args = {.x = scores.data(),
                    .y = scores.data(),
                    .outer = batch * s.length,
                    .n = s.length,
                    .inner = 1};
  }
  void Run(ThreadPool* pool) {
    GemmF32Batch(gemm, score_args, pool);
    SoftmaxF32(softmax, softmax_args, pool);
    GemmF32Batch(gemm, value_args, pool);
  }
  const GemmF32Kernel& gemm;
  const SoftmaxF32Kernel& softmax;
  std::vector<float> q;
  std::vector<float> scores;
  std::vector<float> out;
  std::vector<float> scratch;
  GemmF32BatchArgs score_args;
  GemmF32BatchArgs value_args;
  SoftmaxF32Args softmax_args;
};

// The fastest of a few calls in a row, in seconds.
template <class Body>
double Seconds(Body* body, ThreadPool* pool) {
  double best = 1e9;
  for (int i = 0; i < 4; ++i) {
    const int64_t start = NowNs();
    body->Run(pool);
    best = std::min(best, MsSince(start) * 1e-3);
  }
  return best;
}

void BM_Attention(benchmark::State& state, const AttentionF32Kernel* kernel) {
  const Shape shape{state.range(0), state.range(1), state.range(2),
                    state.range(3)};
  const int threads = static_cast<int>(state.range(4));
  ThreadPool pool(threads);
  ThreadPool::Run run(&pool);
  Fused fused(*kernel, shape, threads);
  Separate separate(kernel->isa, shape, threads);
  double best = 1e9, best_separate = 1e9;
  for (auto _ : state) {
    const double seconds = Seconds(&fused, &pool);
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    best_separate = std::min(best_separate, Seconds(&separate, &pool));
  }
  const double flops = 4.0 * static_cast<double>(shape.batch * shape.heads) *
                       static_cast<double>(shape.length * shape.length) *
                       static_cast<double>(shape.size);
  state.counters["us"] = best * 1e6;
  state.counters["GFLOP/s"] = flops * 1e-9 / best;
  state.counters["x_separate"] = best_separate / best;
}

const bool kRegistered = [] {
  for (const AttentionF32Kernel& kernel : AttentionF32Table()) {
    const std::string name = kernel.name;
    if (kernel.isa > DetectIsa() || name == "reference") continue;
    benchmark::RegisterBenchmark(("attention/" + name).c_str(), BM_Attention,
                                 &kernel)
        ->Args({1, 12, 16, 32, 1})
        ->Args({1, 12, 128, 32, 1})
        ->Args({1, 12, 128, 32, 2})
        ->Args({1, 12, 128, 64, 1})
        ->Args({1, 12, 128, 64, 2})
        ->Args({1, 12, 197, 64, 1})
        ->Args({1, 12, 512, 64, 1})
        ->Args({8, 12, 128, 32, 1})
        ->UseManualTime();
  }
  return true;
}();

}  // namespace
}  // namespace stint
