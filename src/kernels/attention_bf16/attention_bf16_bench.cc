// Attention in bf16 over packed q, k, v against the best fp32 kernel on the
// same operands, timed in turn; best of all. Arguments: heads, length, head
// size, threads.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/platform/clock.h"
#include "kernels/attention_bf16/attention_bf16.h"
#include "kernels/attention_f32/attention_f32.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

struct Attention {
  Attention(const AttentionF32Kernel& kernel, const benchmark::State& state)
      : kernel(kernel) {
    const int64_t heads = state.range(0);
    const int64_t length = state.range(1);
    const int64_t size = state.range(2);
    const int64_t hidden = heads * size;
    qkv = RandomFloats(length * hidden * 3, 1);
    out.resize(qkv.size() / 3);
    args.heads = heads;
    args.length_q = args.length_k = length;
    args.head_size = size;
    args.scale = 0.125f;
    args.q = {qkv.data(), length * hidden * 3, hidden * 3, size};
    args.k = args.v = args.q;
    args.k.data += hidden;
    args.v.data += 2 * hidden;
    args.out = {out.data(), length * hidden, hidden, size};
    scratch.resize(AttentionF32ScratchBytes(kernel, args,
                                            static_cast<int>(state.range(3))) /
                       4 +
                   16);
    args.scratch = scratch.data() + 16 -
                   reinterpret_cast<uintptr_t>(scratch.data()) / 4 % 16;
  }
  // The fastest of a few calls in a row, in seconds.
  double Seconds(ThreadPool* pool) {
    double best = 1e9;
    for (int i = 0; i < 4; ++i) {
      const int64_t start = NowNs();
      AttentionF32(kernel, args, pool);
      best = std::min(best, MsSince(start) * 1e-3);
    }
    return best;
  }
  const AttentionF32Kernel& kernel;
  std::vector<float> qkv;
  std::vector<float> out;
  std::vector<float> scratch;
  AttentionF32Args args;
};

void BM_Attention(benchmark::State& state, const AttentionF32Kernel* kernel) {
  ThreadPool pool(static_cast<int>(state.range(3)));
  ThreadPool::Run run(&pool);
  Attention bf16(*kernel, state);
  Attention f32(PickAttentionF32(DetectIsa()), state);
  double best = 1e9, best_f32 = 1e9;
  for (auto _ : state) {
    const double seconds = bf16.Seconds(&pool);
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    best_f32 = std::min(best_f32, f32.Seconds(&pool));
  }
  state.counters["us"] = best * 1e6;
  state.counters["x_f32"] = best_f32 / best;
}

const bool kRegistered = [] {
  for (const AttentionF32Kernel& kernel : AttentionBf16Table()) {
    if (kernel.isa > DetectIsa()) continue;
    const std::string name = std::string("attention_bf16/") + kernel.name;
    benchmark::RegisterBenchmark(name.c_str(), BM_Attention, &kernel)
        ->Args({12, 16, 32, 1})
        ->Args({12, 32, 32, 1})
        ->Args({12, 48, 32, 1})
        ->Args({12, 64, 32, 1})
        ->Args({12, 32, 64, 1})
        ->Args({12, 128, 32, 1})
        ->Args({12, 128, 64, 1})
        ->Args({12, 128, 64, 2})
        ->Args({12, 512, 64, 1})
        ->UseManualTime();
  }
  return true;
}();

}  // namespace
}  // namespace stint
