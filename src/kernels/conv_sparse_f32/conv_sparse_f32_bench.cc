// Sparse convolutions on layers of ResNet-18, ResNet-50 and MobileNetV2 beside
// the fastest dense primitives, in turns and best of the run:
//   us            of the sparse kernel, images taken apart and put together
//   over_direct   how many times faster than direct (pointwise) convolution
//   over_dense    than the fastest dense primitive, Winograd included
// Names have the share of zeros and the outputs that are 0 together.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "core/platform/clock.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/bench_layers.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
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

void BM_Sparse(benchmark::State& state, ConvF32Shape s, Pattern pattern,
               int threads) {
  ThreadPool pool(threads);
  const ThreadPool::Run run(&pool);
  const ConvSparseF32Kernel& kernel = PickConvSparseF32(DetectIsa());
  const auto dense =
      FittingConvBlockedF32(s, ImageLayout::kBlocked, DetectIsa());
  const std::vector<float> w = ThinWeights(s, pattern);
  const SparseWeights packed = PackSparse(s, w.data(), pattern.rows);
  const std::vector<int32_t> at = SparsePlaceOffsets(s);
  std::vector<int32_t> offsets;
  for (int32_t place : packed.place) offsets.push_back(at[place]);
  const int64_t block = kernel.block;
  const auto x =
      RandomFloats(BlockedFloats(s.in_channels, s.in_plane(), block), 1);
  std::vector<float> y(BlockedFloats(s.out_channels, s.out_plane(), block));
  std::vector<float> scratch(ConvSparseF32ScratchBytes(kernel, s, threads) / 4 +
                             16);
  ConvSparseF32Args args;
  args.shape = s;
  args.x = x.data();
  args.rows = pattern.rows;
  args.begin = packed.begin;
  args.values = packed.values.data();
  args.offsets = offsets.data();
  args.act = Activation::Relu();
  args.y = y.data();
  args.scratch = scratch.data();
  std::vector<std::vector<float>> weights(dense.size());
  std::vector<std::vector<float>> rooms(dense.size());
  for (size_t i = 0; i < dense.size(); ++i) {
    weights[i].resize(dense[i]->packed_bytes(*dense[i], s) / 4);
    rooms[i].resize(dense[i]->scratch_bytes(*dense[i], s, threads) / 4 + 16);
    dense[i]->pack(*dense[i], s, w.data(), weights[i].data(), &pool);
  }
  double sparse = 1e12, direct = 1e12, fastest = 1e12;
  for (auto _ : state) {
    KeepBest(&sparse, [&] { ConvSparseF32(kernel, args, &pool); });
    for (size_t i = 0; i < dense.size(); ++i) {
      ConvBlockedF32Args plain;
      plain.shape = s;
      plain.x = x.data();
      plain.w = weights[i].data();
      plain.act = args.act;
      plain.y = y.data();
      plain.scratch = rooms[i].data();
      double us = 1e12;
      KeepBest(&us, [&] { dense[i]->run(*dense[i], plain, &pool); });
      const std::string_view name = dense[i]->primitive;
      if (!name.starts_with("winograd")) direct = std::min(direct, us);
      fastest = std::min(fastest, us);
    }
  }
  state.counters["us"] = sparse;
  state.counters["over_direct"] = direct / sparse;
  state.counters["over_dense"] = fastest / sparse;
}

std::string NameOf(const ConvF32Shape& s) {
  return std::to_string(s.in_channels) + "-" + std::to_string(s.out_channels) +
         "@" + std::to_string(s.in_h) + "k" + std::to_string(s.kernel_h) + "s" +
         std::to_string(s.stride_h);
}

const bool kRegistered = [] {
  const ConvF32Shape layers[] = {
      BenchLayer(64, 64, 56, 3, 1),   BenchLayer(128, 128, 28, 3, 1),
      BenchLayer(256, 256, 14, 3, 1), BenchLayer(512, 512, 7, 3, 1),
      BenchLayer(256, 64, 56, 1, 1),  BenchLayer(96, 576, 14, 1, 1),
      BenchLayer(128, 256, 28, 3, 2), BenchLayer(512, 512, 4, 3, 1)};
  const Pattern patterns[] = {{1, 50}, {1, 70}, {1, 80}, {1, 90}, {1, 95},
                              {4, 50}, {4, 70}, {4, 90}, {8, 70}, {16, 70}};
  for (const ConvF32Shape& s : layers) {
    for (const Pattern& p : patterns) {
      const std::string name = NameOf(s) + "/" + std::to_string(p.rows) +
                               "x1:" + std::to_string(p.percent) + "%/1";
      benchmark::RegisterBenchmark(name.c_str(), BM_Sparse, s, p, 1)
          ->UseRealTime()
          ->Iterations(40);
    }
  }
  return true;
}();

}  // namespace
}  // namespace stint
