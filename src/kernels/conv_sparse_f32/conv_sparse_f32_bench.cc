// Sparse convolutions on layers of ResNet-18, ResNet-50 and MobileNetV2 beside
// the fastest dense primitives, in turns and best of the run:
//   sparse, sparse_im2col, sparse_spatial   us, gathering included
//   direct   of the fastest dense primitive but for Winograd
//   dense    Winograd included
// Names have the share of zeros, the outputs that are 0 together and threads.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <list>
#include <string>

#include "core/platform/clock.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
#include "kernels/testing/bench_layers.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

struct Pattern {
  int rows;
  int percent;
};

std::vector<float> ThinWeights(const ConvF32Shape& s, const Pattern& pattern) {
  const int64_t inputs = s.in_channels * s.taps();
  std::vector<float> w = RandomFloats(s.out_channels * inputs, 2);
  const int64_t blocks = CeilDiv(s.out_channels, pattern.rows) * inputs;
  const std::vector<float> chance = RandomFloats(blocks, 7);
  std::vector<float> sorted = chance;
  std::sort(sorted.begin(), sorted.end());
  const float limit =
      sorted[static_cast<size_t>(blocks * pattern.percent / 100)];
  for (int64_t o = 0; o < s.out_channels; ++o) {
    for (int64_t i = 0; i < inputs; ++i) {
      if (chance[o / pattern.rows * inputs + i] < limit) w[o * inputs + i] = 0;
    }
  }
  return w;
}

template <class Body>
void KeepBest(double* best, Body body) {
  const int64_t begin = NowNs();
  body();
  *best = std::min(*best, static_cast<double>(NowNs() - begin) * 1e-3);
}

// The first of 16 floats that begins a cache line.
float* Aligned(float* p) {
  return p + (16 - reinterpret_cast<uintptr_t>(p) / 4 % 16) % 16;
}

// Weights of one pattern, gathered in one way.
struct Sparse {
  Sparse(const ConvF32Shape& s, const SparseWeights& w, SparseGather gather,
         int threads) {
    args.shape = s;
    args.plan = MakeSparsePlan(kernel.block, s, gather, threads);
    const std::vector<int32_t> at = SparsePlaceOffsets(args.plan, s);
    for (int32_t place : w.place) offsets.push_back(at[place]);
    scratch.resize(args.plan.scratch_bytes() / 4 + 16);
    args.rows = w.rows;
    args.begin = w.begin;
    args.values = w.values.data();
    args.offsets = offsets.data();
    args.act = Activation::Relu();
    args.scratch = Aligned(scratch.data());
  }

  const ConvSparseF32Kernel& kernel = PickConvSparseF32(DetectIsa());
  std::vector<int32_t> offsets;
  std::vector<float> scratch;
  ConvSparseF32Args args;
  double us = 1e12;
};

// A dense primitive with the same weights.
struct Dense {
  Dense(const ConvBlockedF32Kernel& row, const ConvF32Shape& s, const float* w,
        ThreadPool* pool)
      : kernel(row) {
    weights.resize(row.packed_bytes(row, s) / 4 + 16);
    scratch.resize(row.scratch_bytes(row, s, pool->threads()) / 4 + 16);
    args.shape = s;
    args.w = Aligned(weights.data());
    row.pack(row, s, w, Aligned(weights.data()), pool);
    args.act = Activation::Relu();
    args.scratch = Aligned(scratch.data());
  }

  const ConvBlockedF32Kernel& kernel;
  std::vector<float> weights;
  std::vector<float> scratch;
  ConvBlockedF32Args args;
  double us = 1e12;
};

// Everything that computes one layer, on the same image.
struct Layer {
  Layer(const ConvF32Shape& s, const Pattern& pattern, ThreadPool* pool)
      : w(ThinWeights(s, pattern)),
        packed(PackSparse(s, w.data(), pattern.rows)),
        block(PickConvSparseF32(DetectIsa()).block),
        x(RandomFloats(BlockedFloats(s.in_channels, s.in_plane(), block) + 16,
                       1)),
        y(BlockedFloats(s.out_channels, s.out_plane(), block) + 16) {
    for (SparseGather gather : kSparseGathers) {
      sparse.emplace_back(s, packed, gather, pool->threads());
    }
    for (const auto* row :
         FittingConvBlockedF32(s, ImageLayout::kBlocked, DetectIsa())) {
      dense.emplace_back(*row, s, w.data(), pool);
    }
    const auto place = [&](auto* args) {
      args->x = Aligned(x.data());
      args->y = Aligned(y.data());
    };
    for (Sparse& one : sparse) place(&one.args);
    for (Dense& one : dense) place(&one.args);
  }

  std::vector<float> w;
  SparseWeights packed;
  int64_t block;
  std::vector<float> x, y;
  std::list<Sparse> sparse;
  std::list<Dense> dense;
};

void BM_Sparse(benchmark::State& state, ConvF32Shape s, Pattern pattern,
               int threads) {
  ThreadPool pool(threads);
  const ThreadPool::Run run(&pool);
  Layer layer(s, pattern, &pool);
  for (auto _ : state) {
    for (Sparse& one : layer.sparse) {
      KeepBest(&one.us, [&] { ConvSparseF32(one.kernel, one.args, &pool); });
    }
    for (Dense& one : layer.dense) {
      KeepBest(&one.us, [&] { one.kernel.run(one.kernel, one.args, &pool); });
    }
  }
  double direct = 1e12;
  double fastest = 1e12;
  for (const Dense& one : layer.dense) {
    const std::string_view name = one.kernel.primitive;
    if (!name.starts_with("winograd")) direct = std::min(direct, one.us);
    fastest = std::min(fastest, one.us);
  }
  for (const Sparse& one : layer.sparse) {
    state.counters[std::string(SparseGatherName(one.args.plan.gather))] =
        one.us;
  }
  state.counters["direct"] = direct;
  state.counters["dense"] = fastest;
}

std::string NameOf(const ConvF32Shape& s) {
  return std::to_string(s.in_channels) + "-" + std::to_string(s.out_channels) +
         "@" + std::to_string(s.in_h) + "k" + std::to_string(s.kernel_h) + "s" +
         std::to_string(s.stride_h);
}

const bool kRegistered = [] {
  // CIFAR ResNet-18; ResNet-50; one of MobileNetV2.
  const ConvF32Shape layers[] = {
      BenchLayer(64, 64, 32, 3, 1),   BenchLayer(64, 128, 32, 3, 2),
      BenchLayer(128, 128, 16, 3, 1), BenchLayer(256, 256, 8, 3, 1),
      BenchLayer(512, 512, 4, 3, 1),  BenchLayer(128, 256, 16, 1, 2),
      BenchLayer(64, 64, 56, 3, 1),   BenchLayer(128, 128, 28, 3, 1),
      BenchLayer(256, 256, 14, 3, 1), BenchLayer(512, 512, 7, 3, 1),
      BenchLayer(128, 128, 56, 3, 2), BenchLayer(256, 64, 56, 1, 1),
      BenchLayer(512, 128, 28, 1, 1), BenchLayer(256, 1024, 14, 1, 1),
      BenchLayer(2048, 512, 7, 1, 1), BenchLayer(96, 576, 14, 1, 1)};
  const Pattern patterns[] = {{1, 70}, {1, 90}, {4, 50}, {4, 70},
                              {4, 90}, {8, 70}, {16, 70}};
  for (const ConvF32Shape& s : layers) {
    for (const Pattern& p : patterns) {
      for (int threads : {1, 2}) {
        const std::string name = NameOf(s) + "/" + std::to_string(p.rows) +
                                 "x1:" + std::to_string(p.percent) + "%/" +
                                 std::to_string(threads);
        benchmark::RegisterBenchmark(name.c_str(), BM_Sparse, s, p, threads)
            ->UseRealTime()
            ->Iterations(40);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace stint
