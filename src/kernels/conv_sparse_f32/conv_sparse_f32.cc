#include "kernels/conv_sparse_f32/conv_sparse_f32.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/padded_lanes.h"
#include "kernels/conv_sparse_f32/loops.h"
#include "kernels/conv_sparse_f32/planes.h"
#include "kernels/gemm_f32/blocking.h"

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

// What entries of a band read should stay in L2: every block of outputs reads
// all of it, in no order.
constexpr int64_t kBandBytes = 256 << 10;
// Fewer pixels leave registers of a tile empty.
constexpr int64_t kLeastPixels = 128;

struct Plan {
  SparsePlanes planes;
  int64_t block;
  int64_t in_blocks;
  int64_t out_blocks;
  int64_t image;  // floats of all planes
  int64_t band;   // rows of outputs
  int64_t pitch;  // floats of a row of sums

  int64_t Sums() const { return block * pitch; }
};

// `width` of the planes; 0: as the shape has it.
Plan MakePlan(const ConvSparseF32Kernel& kernel, const ConvF32Shape& s,
              int64_t width) {
  Plan p{};
  p.planes = MakeSparsePlanes(s);
  if (width > 0) p.planes.width = width;
  p.block = kernel.block;
  p.in_blocks = CeilDiv(s.in_channels, p.block);
  p.out_blocks = CeilDiv(s.out_channels, p.block);
  p.image = RoundUp(
      s.in_channels * p.planes.phases() * p.planes.plane() + kSparseOverrun,
      16);
  const int64_t row_bytes =
      4 * s.in_channels * p.planes.phases() * p.planes.width;
  const int64_t rows =
      std::max(kBandBytes / row_bytes, CeilDiv(kLeastPixels, p.planes.width));
  p.band = EvenBlock(s.out_h, std::clamp<int64_t>(rows, 1, s.out_h), 1);
  p.pitch = RoundUp(p.band * p.planes.width + kSparseOverrun, 16);
  return p;
}

// One image under way.
class SparseConv {
 public:
  SparseConv(const ConvSparseF32Kernel& kernel, const ConvSparseF32Args& args,
             int64_t image)
      : loops_(*kernel.loops),
        args_(args),
        s_(args.shape),
        p_(MakePlan(kernel, args.shape, args.plane_width)),
        image_(image) {}

  // Rows of the planes of one block of input channels.
  void Split(int64_t block) const {
    const int64_t first = block * p_.block;
    const int64_t channels = std::min(p_.block, s_.in_channels - first);
    for (int64_t ph = 0; ph < p_.planes.phases_h; ++ph) {
      for (int64_t pw = 0; pw < p_.planes.phases_w; ++pw) {
        float* planes = args_.scratch + (first * p_.planes.phases() +
                                         ph * p_.planes.phases_w + pw) *
                                            p_.planes.plane();
        for (int64_t i = 0; i < p_.planes.height; ++i) {
          SplitRow(block, {channels, i * s_.stride_h + ph - s_.pad_top, pw},
                   planes + i * p_.planes.width);
        }
      }
    }
  }

  // Sums of a band of rows and one block of outputs.
  void Compute(int64_t row, int64_t block, float* sums) const {
    const int64_t rows = std::min(p_.band, s_.out_h - row);
    const int64_t width = p_.planes.width;
    const int64_t first = block * p_.block;
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
                  args_.values + begin * args_.rows,
                  args_.scratch + row * width, (rows - 1) * width + s_.out_w,
                  to, p_.pitch});
    }
    const bool last = args_.channels_last;
    const int64_t pitch = last ? s_.out_channels : p_.block;
    const int64_t at =
        last ? (image_ * s_.out_h + row) * s_.out_w * pitch + first
             : ((image_ * p_.out_blocks + block) * s_.out_h + row) * s_.out_w *
                   pitch;
    const int64_t row_floats = s_.out_w * pitch;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t to = at + r * row_floats;
      loops_.finish({sums + r * width, p_.pitch, s_.out_w,
                     args_.bias ? args_.bias + first : nullptr,
                     args_.residual ? args_.residual + to : nullptr, args_.act,
                     args_.y + to, pitch});
    }
    const int64_t keep = LanesToKeep(s_.out_channels, p_.block, args_.act);
    if (keep < p_.block && block + 1 == p_.out_blocks) {
      ClearLanes(args_.y + at, rows * s_.out_w, p_.block, keep);
    }
  }

  const Plan& plan() const { return p_; }

 private:
  struct Row {
    int64_t channels;
    int64_t y;      // of the image; may lie outside
    int64_t phase;  // of the columns
  };

  void SplitRow(int64_t block, const Row& row, float* to) const {
    const int64_t plane = p_.planes.phases() * p_.planes.plane();
    const int64_t width = p_.planes.width;
    // Columns [begin, end) of the row lie inside of the image.
    const int64_t shift = s_.pad_left - row.phase;
    const int64_t begin =
        shift <= 0 ? 0 : std::min(width, CeilDiv(shift, s_.stride_w));
    const int64_t inside = s_.in_w + shift;
    const int64_t end = std::clamp<int64_t>(
        inside <= 0 ? 0 : CeilDiv(inside, s_.stride_w), begin, width);
    const bool outside = row.y < 0 || row.y >= s_.in_h;
    for (int64_t c = 0; c < row.channels; ++c) {
      float* line = to + c * plane;
      if (outside) {
        std::fill_n(line, width, 0.0f);
      } else {
        std::fill(line, line + begin, 0.0f);
        std::fill(line + end, line + width, 0.0f);
      }
    }
    if (outside || begin == end) return;
    const int64_t x = begin * s_.stride_w - shift;
    if (args_.plain_input) {
      for (int64_t c = 0; c < row.channels; ++c) {
        const float* from =
            args_.x +
            ((image_ * s_.in_channels + block * p_.block + c) * s_.in_h +
             row.y) *
                s_.in_w +
            x;
        float* line = to + c * plane + begin;
        for (int64_t j = 0; j < end - begin; ++j) {
          line[j] = from[j * s_.stride_w];
        }
      }
      return;
    }
    const int64_t blocks = args_.channels_last ? p_.in_blocks : 1;
    const int64_t at =
        args_.channels_last
            ? ((image_ * s_.in_h + row.y) * s_.in_w + x) * p_.in_blocks + block
            : ((image_ * p_.in_blocks + block) * s_.in_h + row.y) * s_.in_w + x;
    loops_.split({args_.x + at * p_.block, s_.stride_w * blocks, end - begin,
                  row.channels, to + begin, plane});
  }

  const SparseLoops& loops_;
  const ConvSparseF32Args& args_;
  const ConvF32Shape& s_;
  const Plan p_;
  const int64_t image_;
};

}  // namespace

std::span<const ConvSparseF32Kernel> ConvSparseF32Table() { return kTable; }

const ConvSparseF32Kernel& PickConvSparseF32(Isa cap) {
  for (const ConvSparseF32Kernel& kernel : kTable) {
    if (kernel.isa <= cap) return kernel;
  }
  return kTable[std::size(kTable) - 1];
}

int64_t ConvSparseF32ScratchBytes(const ConvSparseF32Kernel& kernel,
                                  const ConvF32Shape& shape, int threads) {
  const Plan p = MakePlan(kernel, shape, 0);
  return (p.image + threads * p.Sums()) * int64_t{sizeof(float)};
}

void ConvSparseF32(const ConvSparseF32Kernel& kernel,
                   const ConvSparseF32Args& args, ThreadPool* pool) {
  for (int64_t n = 0; n < args.shape.batch; ++n) {
    const SparseConv conv(kernel, args, n);
    const Plan& p = conv.plan();
    pool->ParallelFor(p.in_blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) conv.Split(b);
    });
    const int64_t bands = CeilDiv(args.shape.out_h, p.band);
    pool->ParallelTurns(
        bands * p.out_blocks, 1, [&](int part, int64_t begin, int64_t end) {
          float* sums = args.scratch + p.image + part * p.Sums();
          for (int64_t i = begin; i < end; ++i) {
            conv.Compute(i / p.out_blocks * p.band, i % p.out_blocks, sums);
          }
        });
  }
}

}  // namespace stint
