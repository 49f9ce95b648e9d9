#include "engine/profile/time_primitives.h"

#include <algorithm>
#include <cstring>

#include "core/meter/statistics.h"
#include "core/platform/clock.h"
#include "core/platform/thread_pool.h"
#include "engine/device/sparse_costs.h"
#include "engine/profile/timing_tensors.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
#include "stint/tensor.h"

namespace stint {
namespace {

using Kernel = ConvBlockedF32Kernel;

// Weights of the rotation: more than the L2 of a few threads, and the bounds
// of what a layer of tiny or huge weights takes.
constexpr int64_t kRotatedBytes = 32 << 20;
constexpr int64_t kMostCopies = 64;
// Turns of a layer: enough for a low quantile, bounded for large ones.
constexpr int kLeastTurns = 20;
constexpr double kLeastMs = 60;
constexpr int kMostTurns = 200;
// After so many turns, what is so much slower than the fastest is out.
constexpr int kFirstTurns = 6;
constexpr double kHopeless = 2;

// A primitive with copies of its packed weights, or sparse ones at one share.
struct Candidate {
  std::string name;
  const Kernel* kernel = nullptr;  // null: sparse
  Tensor weights;
  int64_t stride = 0;  // floats between copies
  int64_t copies = 1;
  Tensor scratch;
  std::vector<double> us;
  SparseWeights sparse = {};
  std::vector<int32_t> offsets = {};
};

Result<Candidate> Prepare(const Kernel* kernel, const ConvF32Shape& shape,
                          const float* w, ThreadPool* pool) {
  Candidate c;
  c.name = kernel->primitive;
  c.kernel = kernel;
  const int64_t bytes = kernel->packed_bytes(*kernel, shape);
  c.stride = RoundUp(CeilDiv(bytes, 4), 16);
  c.copies = std::clamp<int64_t>(kRotatedBytes / std::max<int64_t>(bytes, 1), 2,
                                 kMostCopies);
  STINT_ASSIGN_OR_RETURN(c.weights, AllocateFloats(c.stride * c.copies));
  float* first = c.weights.data<float>();
  kernel->pack(*kernel, shape, w, first, pool);
  for (int64_t i = 1; i < c.copies; ++i) {
    std::memcpy(first + i * c.stride, first, static_cast<size_t>(bytes));
  }
  STINT_ASSIGN_OR_RETURN(
      c.scratch,
      AllocateFloats(
          CeilDiv(kernel->scratch_bytes(*kernel, shape, pool->threads()), 4)));
  return c;
}

// One block of `rows` outputs in 100 / percent has weights, as a hash picks it.
Result<Candidate> PrepareSparse(const ConvF32Shape& shape, int rows,
                                int percent, const Tensor& w, Isa isa,
                                int threads) {
  const int64_t inputs = shape.in_channels * shape.taps();
  STINT_ASSIGN_OR_RETURN(Tensor thin, w.Clone());
  for (int64_t i = 0; i < w.size(); ++i) {
    const int64_t block = i / inputs / rows * inputs + i % inputs;
    const auto hash = static_cast<uint64_t>(block) * 0x9e3779b97f4a7c15u;
    if ((hash >> 32) % 100 >= static_cast<uint64_t>(percent)) {
      thin.data<float>()[i] = 0;
    }
  }
  Candidate c;
  c.name = SparseCostName(rows, percent);
  c.sparse = PackSparse(shape, thin.data<float>(), rows);
  const std::vector<int32_t> at = SparsePlaceOffsets(shape);
  for (int32_t place : c.sparse.place) c.offsets.push_back(at[place]);
  STINT_ASSIGN_OR_RETURN(
      c.scratch,
      AllocateFloats(CeilDiv(
          ConvSparseF32ScratchBytes(PickConvSparseF32(isa), shape, threads),
          4)));
  return c;
}

void RunSparse(const ConvBlockedF32Args& args, Isa isa, bool plain,
               ThreadPool* pool, Candidate* c) {
  ConvSparseF32Args sparse;
  sparse.shape = args.shape;
  sparse.x = args.x;
  sparse.plain_input = plain;
  sparse.rows = c->sparse.rows;
  sparse.begin = c->sparse.begin;
  sparse.values = c->sparse.values.data();
  sparse.offsets = c->offsets.data();
  sparse.act = args.act;
  sparse.y = args.y;
  sparse.scratch = c->scratch.data<float>();
  ConvSparseF32(PickConvSparseF32(isa), sparse, pool);
}

// Rows that run the same code on the same weights, as the two of a 1x1 kernel
// do, are one.
bool SameCode(const Kernel& a, const Kernel& b) {
  return a.run == b.run && a.tiles == b.tiles && a.winograd == b.winograd &&
         a.depthwise == b.depthwise;
}

std::vector<const Kernel*> DistinctRows(const ConvF32Shape& shape,
                                        ImageLayout input, Isa isa) {
  std::vector<const Kernel*> distinct;
  for (const Kernel* row : FittingConvBlockedF32(shape, input, isa)) {
    if (std::none_of(distinct.begin(), distinct.end(),
                     [&](const Kernel* d) { return SameCode(*d, *row); })) {
      distinct.push_back(row);
    }
  }
  return distinct;
}

double Best(const Candidate& c) {
  return *std::min_element(c.us.begin(), c.us.end());
}

// What a layer's candidates run on.
struct Bench {
  ConvBlockedF32Args args;
  Isa isa;
  bool plain;
  ThreadPool* pool;
};

void RunTurn(const Bench& bench, int turn, Candidate* c) {
  ConvBlockedF32Args args = bench.args;
  const int64_t begin = NowNs();
  if (c->kernel == nullptr) {
    RunSparse(args, bench.isa, bench.plain, bench.pool, c);
  } else {
    args.w = c->weights.data<float>() + turn % c->copies * c->stride;
    args.scratch = c->scratch.data<float>();
    c->kernel->run(*c->kernel, args, bench.pool);
  }
  // The first turn finds memory that nobody has touched.
  if (turn > 0) c->us.push_back(static_cast<double>(NowNs() - begin) * 1e-3);
}

void TakeTurns(const Bench& bench, std::vector<Candidate>* candidates) {
  const int64_t start = NowNs();
  for (int turn = 0;
       turn < kMostTurns && (turn <= kLeastTurns || MsSince(start) < kLeastMs);
       ++turn) {
    double least = 0;
    if (turn > kFirstTurns) {
      least =
          Best(*std::min_element(candidates->begin(), candidates->end(),
                                 [](const Candidate& a, const Candidate& b) {
                                   return Best(a) < Best(b);
                                 }));
    }
    for (Candidate& c : *candidates) {
      // Sparse ones are measured at few and many entries for what lies between.
      if (turn > kFirstTurns && c.kernel != nullptr &&
          Best(c) > kHopeless * least) {
        continue;
      }
      RunTurn(bench, turn, &c);
    }
  }
}

}  // namespace

Result<std::vector<PrimitiveCost>> TimePrimitives(const ConvF32Shape& shape,
                                                  ImageLayout input, Isa isa,
                                                  ThreadPool* pool,
                                                  bool with_sparse) {
  const auto rows = DistinctRows(shape, input, isa);
  std::vector<PrimitiveCost> costs;
  if (rows.empty() || (rows.size() < 2 && !with_sparse)) return costs;
  const int64_t block = rows[0]->block;
  STINT_ASSIGN_OR_RETURN(
      const Tensor w,
      UniformFloats(shape.out_channels * shape.group_in() * shape.taps(), 1));
  STINT_ASSIGN_OR_RETURN(
      const Tensor x,
      UniformFloats(shape.batch * BlockedFloats(shape.in_channels,
                                                shape.in_plane(), block),
                    1));
  STINT_ASSIGN_OR_RETURN(
      Tensor y,
      AllocateFloats(shape.batch * BlockedFloats(shape.out_channels,
                                                 shape.out_plane(), block)));
  std::vector<Candidate> candidates;
  for (const Kernel* row : rows) {
    STINT_ASSIGN_OR_RETURN(Candidate candidate,
                           Prepare(row, shape, w.data<float>(), pool));
    candidates.push_back(std::move(candidate));
  }
  if (with_sparse && ConvSparseSupports(shape)) {
    for (int entries : kSparseRows) {
      for (int percent : kSparseShares) {
        if (entries > block) continue;
        STINT_ASSIGN_OR_RETURN(
            Candidate candidate,
            PrepareSparse(shape, entries, percent, w, isa, pool->threads()));
        candidates.push_back(std::move(candidate));
      }
    }
  }
  ConvBlockedF32Args args;
  args.shape = shape;
  args.x = x.data<float>();
  args.act = Activation::Relu();
  args.y = y.data<float>();
  TakeTurns({args, isa, input == ImageLayout::kPlain, pool}, &candidates);
  for (const Candidate& c : candidates) {
    costs.push_back({c.name, Quantile(c.us, 0.1)});
  }
  return costs;
}

}  // namespace stint
