#include "kernels/conv_sparse_f32/sparse_plan.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/conv_sparse_f32/loops.h"
#include "kernels/geometry/blocking.h"

namespace stint {
namespace {

// What entries of a band read should stay in L2: every block of outputs reads
// all of it, in no order.
constexpr int64_t kBandBytes = 256 << 10;
// Fewer pixels leave registers of a tile empty.
constexpr int64_t kLeastPixels = 128;
// Rows of an image are gathered whole. Where the columns of one are larger, as
// those of sound are, planes are gathered instead.
constexpr int64_t kMostColumnBytes = 16 << 20;
// Columns have no padding between rows. They pay where that saves a third of
// the vectors (3x3 on 4 x 4 pixels: 0.7 to 0.95 of the time of planes). Else
// to gather them mostly takes longer than planes of a band, which in turn take
// up to a fifth less time than planes of the image, for 1x1 kernels on 2
// threads up to half (Zen 4: conv_sparse_f32_bench
// --benchmark_filter='(1x1|4x1):(70|90)%').
constexpr double kColumnsPay = 1.5;
// Tasks by thread from which on it does not matter that some have one more.
constexpr int64_t kManyTasks = 4;

int64_t RoundToLines(int64_t floats) { return RoundUp(floats, 16); }

// An odd number of cache lines: what lies at the same place of several rows is
// then spread over all sets of a cache.
int64_t OddLines(int64_t floats) { return RoundToLines(floats) | 16; }

// Floats that the outputs of a row read.
int64_t RowFloats(const SparsePlan& p, const ConvF32Shape& s) {
  return p.gather == SparseGather::kColumns
             ? s.in_channels * s.taps() * s.out_w
             : s.in_channels * p.planes.phases() * p.planes.width;
}

SparseGather GatherFor(const ConvF32Shape& s, SparseGather gather) {
  if (gather != SparseGather::kColumns) return gather;
  const int64_t pixels =
      std::max(s.out_w, std::min(kLeastPixels, s.out_plane()));
  const int64_t bytes = 4 * s.in_channels * s.taps() * pixels;
  return s.taps() == 1 || bytes > kMostColumnBytes ? SparseGather::kBand
                                                   : gather;
}

// Bands that fit the cache, and as many for each thread where the image allows
// that; else threads share them.
void CutBands(const ConvF32Shape& s, SparsePlan* p) {
  const int64_t height = std::max<int64_t>(s.out_h, 1);
  const int64_t least = CeilDiv(kLeastPixels, std::max<int64_t>(p->row, 1));
  const int64_t fitting =
      kBandBytes / (4 * std::max<int64_t>(RowFloats(*p, s), 1));
  p->bands = CeilDiv(height, std::min(std::max(fitting, least), height));
  p->shared = p->gather == SparseGather::kImage;
  const int64_t tasks = s.batch * p->bands;
  if (!p->shared && tasks % p->threads != 0 &&
      tasks < kManyTasks * p->threads) {
    const int64_t even = RoundUp(p->bands, p->threads);
    p->shared = even * least > height;
    if (!p->shared) p->bands = even;
  }
  p->band = CeilDiv(height, p->bands);
  p->bands = CeilDiv(height, p->band);
  p->shared |= s.batch * p->bands < p->threads;
}

}  // namespace

std::string_view SparseGatherName(SparseGather gather) {
  switch (gather) {
    case SparseGather::kImage:
      return "sparse";
    case SparseGather::kColumns:
      return "sparse_im2col";
    case SparseGather::kBand:
      return "sparse_spatial";
  }
  return "";
}

std::optional<SparseGather> SparseGatherNamed(std::string_view name) {
  for (SparseGather gather : kSparseGathers) {
    if (name == SparseGatherName(gather)) return gather;
  }
  return std::nullopt;
}

SparseGather DefaultSparseGather(int64_t block, const ConvF32Shape& s) {
  const SparsePlanes planes = MakeSparsePlanes(s);
  const auto vectors = [&](int64_t row) {
    return static_cast<double>(CeilDiv((s.out_h - 1) * row + s.out_w, block));
  };
  const bool fewer = vectors(planes.width) >= kColumnsPay * vectors(s.out_w);
  return fewer ? SparseGather::kColumns : SparseGather::kBand;
}

int64_t SparsePlan::scratch_bytes() const {
  const int64_t floats = (shared ? gathered : 0) + threads * thread_floats();
  return floats * int64_t{sizeof(float)};
}

SparsePlan MakeSparsePlan(int64_t block, const ConvF32Shape& s,
                          SparseGather gather, int threads) {
  SparsePlan p;
  p.gather = GatherFor(s, gather);
  p.threads = threads;
  p.block = block;
  p.in_blocks = CeilDiv(s.in_channels, block);
  p.out_blocks = CeilDiv(s.out_channels, block);
  p.planes = MakeSparsePlanes(s);
  const bool columns = p.gather == SparseGather::kColumns;
  const bool image = p.gather == SparseGather::kImage;
  p.row = columns ? s.out_w : p.planes.width;
  CutBands(s, &p);
  if (!image) p.planes.height = p.band + SparseHalo(s);
  const int64_t pixels = p.band * p.row;
  p.pitch = RoundToLines(pixels + kSparseOverrun);
  if (columns) {
    p.column = OddLines((p.band - 1) * s.out_w + RoundToLines(s.out_w));
    p.gathered =
        RoundToLines(s.in_channels * s.taps() * p.column + kSparseOverrun);
    p.split = RoundToLines(block * p.planes.phases() * p.planes.plane() +
                           kSparseOverrun);
    return p;
  }
  if (!image) {
    p.planes.gap = OddLines(p.planes.plane()) - p.planes.plane();
  }
  p.gathered = RoundToLines(
      s.in_channels * p.planes.phases() * p.planes.plane() + kSparseOverrun);
  return p;
}

std::vector<int32_t> SparsePlaceOffsets(const SparsePlan& p,
                                        const ConvF32Shape& s) {
  std::vector<int32_t> offsets(static_cast<size_t>(s.in_channels * s.taps()));
  if (p.gather != SparseGather::kColumns) {
    FillSparsePlaceOffsets(s, p.planes, offsets.data());
    return offsets;
  }
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = static_cast<int32_t>(static_cast<int64_t>(i) * p.column);
  }
  return offsets;
}

}  // namespace stint
