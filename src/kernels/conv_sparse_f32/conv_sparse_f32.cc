#include "kernels/conv_sparse_f32/conv_sparse_f32.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_sparse_f32/gather.h"
#include "kernels/geometry/padded_lanes.h"
#include "kernels/geometry/pick_best.h"

namespace stint {

#if defined(__x86_64__)
extern const SparseLoops kSparseLoopsAvx512;
extern const SparseLoops kSparseLoopsAvx2;
#endif
extern const SparseLoops kSparseLoopsGeneric;

namespace {

constexpr ConvSparseF32Kernel kTable[] = {
#if defined(__x86_64__)
    {"sparse_avx512", Isa::kAvx512, 16, &kSparseLoopsAvx512},
    {"sparse_avx2", Isa::kAvx2, 8, &kSparseLoopsAvx2},
#endif
    {"sparse_generic", Isa::kBaseline, 8, &kSparseLoopsGeneric},
};

// One convolution under way.
class SparseConv {
 public:
  SparseConv(const ConvSparseF32Kernel& kernel, const ConvSparseF32Args& args)
      : loops_(*kernel.loops),
        args_(args),
        s_(args.shape),
        p_(args.plan),
        gatherer_(kernel, args) {}

  // All threads gather an image or a band, then compute its outputs.
  void RunShared(ThreadPool* pool) const;
  // Each thread gathers bands of any image for itself.
  void RunApart(ThreadPool* pool) const;

 private:
  SparseBand BandOf(int64_t image, int64_t band) const {
    const int64_t row = band * p_.band;
    return {image, row, std::min(p_.band, s_.out_h - row)};
  }
  // One block of outputs of a band, whose pixels are at `x`.
  void Compute(const SparseBand& band, int64_t block, const float* x,
               float* sums) const;
  void Sum(const SparseBand& band, int64_t first, const float* x,
           float* sums) const;
  void Finish(const SparseBand& band, int64_t block, const float* sums) const;
  // Of what belongs to one thread: sums, planes that columns are made of, and,
  // unless it is shared, what is gathered.
  float* SumsOf(int thread) const {
    return args_.scratch + (p_.shared ? p_.gathered : 0) +
           thread * p_.thread_floats();
  }
  float* SplitOf(int thread) const {
    return SumsOf(thread) + p_.block * p_.pitch;
  }
  float* GatheredOf(int thread) const { return SplitOf(thread) + p_.split; }

  const SparseLoops& loops_;
  const ConvSparseF32Args& args_;
  const ConvF32Shape& s_;
  const SparsePlan& p_;
  const SparseGatherer gatherer_;
};

void SparseConv::RunShared(ThreadPool* pool) const {
  float* gathered = args_.scratch;
  const bool whole = p_.gather == SparseGather::kImage;
  const int64_t pieces = whole ? 1 : p_.bands;
  const int64_t bands = whole ? p_.bands : 1;  // of a piece
  for (int64_t i = 0; i < s_.batch * pieces; ++i) {
    const int64_t n = i / pieces;
    const SparseBand piece =
        whole ? SparseBand{n, 0, s_.out_h} : BandOf(n, i % pieces);
    pool->ParallelTurns(
        p_.in_blocks, 1, [&](int thread, int64_t block, int64_t) {
          gatherer_.Gather(piece, block, gathered, SplitOf(thread));
        });
    pool->ParallelTurns(
        bands * p_.out_blocks, 1, [&](int thread, int64_t task, int64_t) {
          const SparseBand band =
              whole ? BandOf(n, task / p_.out_blocks) : piece;
          const float* x = gathered + (band.row - piece.row) * p_.row;
          Compute(band, task % p_.out_blocks, x, SumsOf(thread));
        });
  }
}

void SparseConv::RunApart(ThreadPool* pool) const {
  pool->ParallelTurns(
      s_.batch * p_.bands, 1, [&](int thread, int64_t i, int64_t) {
        const SparseBand band = BandOf(i / p_.bands, i % p_.bands);
        float* gathered = GatheredOf(thread);
        for (int64_t b = 0; b < p_.in_blocks; ++b) {
          gatherer_.Gather(band, b, gathered, SplitOf(thread));
        }
        for (int64_t b = 0; b < p_.out_blocks; ++b) {
          Compute(band, b, gathered, SumsOf(thread));
        }
      });
}

void SparseConv::Compute(const SparseBand& band, int64_t block, const float* x,
                         float* sums) const {
  Sum(band, block * p_.block, x, sums);
  Finish(band, block, sums);
}

void SparseConv::Sum(const SparseBand& band, int64_t first, const float* x,
                     float* sums) const {
  const int64_t outputs = std::min(p_.block, s_.out_channels - first);
  for (int64_t o = 0; o < p_.block; o += args_.rows) {
    float* to = sums + o * p_.pitch;
    if (o >= outputs) {
      std::fill_n(to, args_.rows * p_.pitch, 0.0f);
      continue;
    }
    const auto b = static_cast<size_t>((first + o) / args_.rows);
    const int64_t begin = args_.begin[b];
    loops_.sum({args_.rows, args_.begin[b + 1] - begin, args_.offsets + begin,
                args_.values + begin * args_.rows, x,
                (band.rows - 1) * p_.row + s_.out_w, to, p_.pitch});
  }
}

void SparseConv::Finish(const SparseBand& band, int64_t block,
                        const float* sums) const {
  const int64_t first = block * p_.block;
  const bool last = args_.channels_last;
  const int64_t pitch = last ? s_.out_channels : p_.block;
  const int64_t image = last ? band.image : band.image * p_.out_blocks + block;
  const int64_t at =
      (image * s_.out_h + band.row) * s_.out_w * pitch + (last ? first : 0);
  // Rows without anything between them are one.
  const bool joined = p_.row == s_.out_w;
  const int64_t rows = joined ? 1 : band.rows;
  const int64_t pixels = joined ? band.rows * s_.out_w : s_.out_w;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t to = at + r * pixels * pitch;
    loops_.finish({sums + r * p_.row, p_.pitch, pixels,
                   args_.bias ? args_.bias + first : nullptr,
                   args_.residual ? args_.residual + to : nullptr, args_.act,
                   args_.y + to, pitch});
  }
  const int64_t keep = LanesToKeep(s_.out_channels, p_.block, args_.act);
  if (keep < p_.block && block + 1 == p_.out_blocks) {
    ClearLanes(args_.y + at, band.rows * s_.out_w, p_.block, keep);
  }
}

}  // namespace

std::span<const ConvSparseF32Kernel> ConvSparseF32Table() { return kTable; }

const ConvSparseF32Kernel& PickConvSparseF32(Isa cap) {
  return PickBest(kTable, cap);
}

void ConvSparseF32(const ConvSparseF32Kernel& kernel,
                   const ConvSparseF32Args& args, ThreadPool* pool) {
  STINT_CHECK(pool->threads() <= args.plan.threads);
  STINT_CHECK(kernel.block == args.plan.block);
  const SparseConv conv(kernel, args);
  if (args.plan.shared) {
    conv.RunShared(pool);
  } else {
    conv.RunApart(pool);
  }
}

}  // namespace stint
