#include "engine/profile/time_primitives.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/meter/statistics.h"
#include "core/platform/clock.h"
#include "core/platform/thread_pool.h"
#include "engine/profile/sparse_run.h"
#include "engine/profile/timing_tensors.h"
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
// So is a way to gather for sparse weights that is so much slower than another
// for the same ones: three take little longer to measure than one.
constexpr double kWorseGather = 1.15;

// A primitive with copies of its packed weights, or sparse ones at one share.
struct Candidate {
  std::string name;
  const Kernel* kernel = nullptr;  // null: sparse
  Tensor weights;
  int64_t stride = 0;  // floats between copies
  int64_t copies = 1;
  Tensor scratch;
  std::vector<double> us;
  std::optional<SparseRun> sparse = {};
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
  bool plain;
  ThreadPool* pool;
};

void RunTurn(const Bench& bench, int turn, Candidate* c) {
  ConvBlockedF32Args args = bench.args;
  const int64_t begin = NowNs();
  if (c->kernel == nullptr) {
    c->sparse->Run(args, bench.plain, bench.pool);
  } else {
    args.w = c->weights.data<float>() + turn % c->copies * c->stride;
    args.scratch = c->scratch.data<float>();
    c->kernel->run(*c->kernel, args, bench.pool);
  }
  // The first turn finds memory that nobody has touched.
  if (turn > 0) c->us.push_back(static_cast<double>(NowNs() - begin) * 1e-3);
}

// Null: dense.
const SparseWeights* SparseOf(const Candidate& c) {
  return c.sparse ? c.sparse->weights() : nullptr;
}

// Whether the first turns have shown that `c` is not going to be chosen. Sparse
// ones are measured at few and many entries for what lies between: they are
// compared with those of the same weights only.
bool IsOut(const Candidate& c, const std::vector<Candidate>& candidates) {
  double least = Best(c);
  for (const Candidate& other : candidates) {
    if (SparseOf(other) == SparseOf(c)) least = std::min(least, Best(other));
  }
  return Best(c) > (c.sparse ? kWorseGather : kHopeless) * least;
}

void TakeTurns(const Bench& bench, std::vector<Candidate>* candidates) {
  const int64_t start = NowNs();
  for (int turn = 0;
       turn < kMostTurns && (turn <= kLeastTurns || MsSince(start) < kLeastMs);
       ++turn) {
    for (Candidate& c : *candidates) {
      if (turn > kFirstTurns && IsOut(c, *candidates)) continue;
      RunTurn(bench, turn, &c);
    }
  }
}

Result<std::vector<Candidate>> MakeCandidates(
    const ConvF32Shape& shape, const std::vector<const Kernel*>& rows,
    const Tensor& w, ThreadPool* pool) {
  std::vector<Candidate> candidates;
  for (const Kernel* row : rows) {
    STINT_ASSIGN_OR_RETURN(Candidate candidate,
                           Prepare(row, shape, w.data<float>(), pool));
    candidates.push_back(std::move(candidate));
  }
  return candidates;
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
  STINT_ASSIGN_OR_RETURN(std::vector<Candidate> candidates,
                         MakeCandidates(shape, rows, w, pool));
  if (with_sparse) {
    STINT_ASSIGN_OR_RETURN(auto runs,
                           MakeSparseRuns(shape, w, isa, pool->threads()));
    for (NamedSparseRun& run : runs) {
      Candidate candidate;
      candidate.name = std::move(run.name);
      candidate.sparse = std::move(run.run);
      candidates.push_back(std::move(candidate));
    }
  }
  ConvBlockedF32Args args;
  args.shape = shape;
  args.x = x.data<float>();
  args.act = Activation::Relu();
  args.y = y.data<float>();
  TakeTurns({args, input == ImageLayout::kPlain, pool}, &candidates);
  for (const Candidate& c : candidates) {
    costs.push_back({c.name, Quantile(c.us, 0.1)});
  }
  return costs;
}

}  // namespace stint
