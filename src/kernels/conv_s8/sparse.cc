#include "kernels/conv_s8/sparse.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
#include "kernels/conv_sparse_f32/planes.h"
#include "kernels/geometry/blocking.h"

namespace stint {
namespace {

constexpr int64_t kOutputs = kConvS8SparseOutputs;
// As in conv_sparse_f32: what a band reads stays in L2, and tiles are full.
constexpr int64_t kBandBytes = 256 << 10;
constexpr int64_t kLeastPixels = 128;

int64_t GroupsOf(const ConvF32Shape& s) { return CeilDiv(s.in_channels, 4); }

// The same convolution with a channel for each group of 4.
ConvF32Shape WordShape(ConvF32Shape s) {
  s.in_channels = GroupsOf(s);
  return s;
}

// Packed weights: bias and multiplier by output (0 up to a multiple of
// kOutputs), begin of each output's entries and their end, entries.
struct Packed {
  explicit Packed(const ConvF32Shape& s)
      : outputs(s.out_channels), padded(RoundUp(s.out_channels, kOutputs)) {}

  int64_t multiplier() const { return padded * 4; }
  int64_t begin() const { return padded * 8; }
  int64_t entries() const { return begin() + RoundUp((outputs + 1) * 4, 64); }
  int64_t bytes(int64_t count) const { return entries() + count * 8; }

  int64_t outputs;
  int64_t padded;
};

int32_t Int32At(const int8_t* p) {
  int32_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

// 4 weights of one output at place (group, tap) as a word.
int32_t WordAt(const ConvF32Shape& s, const int8_t* w, int64_t o,
               int64_t place) {
  int8_t four[4] = {};
  const int64_t group = place / s.taps();
  const int64_t tap = place % s.taps();
  for (int64_t i = 0; i < 4 && group * 4 + i < s.in_channels; ++i) {
    four[i] = w[(o * s.in_channels + group * 4 + i) * s.taps() + tap];
  }
  return Int32At(four);
}

struct Plan {
  SparsePlanes planes;
  int64_t groups;
  int64_t out_blocks;
  int64_t image;  // words of all planes
  int64_t band;   // rows of outputs
  int64_t pitch;  // sums of a band
  int64_t places;

  int64_t Sums() const { return kOutputs * pitch; }
};

Plan MakePlan(const ConvF32Shape& s) {
  Plan p{};
  p.planes = MakeSparsePlanes(s);
  p.groups = GroupsOf(s);
  p.out_blocks = CeilDiv(s.out_channels, kOutputs);
  p.image = RoundUp(
      p.groups * p.planes.phases() * p.planes.plane() + kConvS8SparseOverrun,
      16);
  const int64_t row_bytes = 4 * p.groups * p.planes.phases() * p.planes.width;
  const int64_t rows =
      std::max(kBandBytes / row_bytes, CeilDiv(kLeastPixels, p.planes.width));
  p.band = EvenBlock(s.out_h, std::clamp<int64_t>(rows, 1, s.out_h), 1);
  p.pitch = RoundUp(p.band * p.planes.width + kConvS8SparseOverrun, 16);
  p.places = RoundUp(p.groups * s.taps(), 16);
  return p;
}

// One image under way. Scratch: the offset of each place, planes, and sums for
// each thread.
class SparseConv {
 public:
  SparseConv(const ConvS8SparseSet& set, const ConvS8Args& args, int64_t image)
      : set_(set),
        args_(args),
        s_(args.shape),
        p_(MakePlan(args.shape)),
        at_(reinterpret_cast<int32_t*>(args.scratch)),
        planes_(reinterpret_cast<uint32_t*>(args.scratch) + p_.places),
        image_(image) {}

  // One row of all planes of a phase, at row i of the planes.
  void Split(int64_t i) const {
    for (int64_t ph = 0; ph < p_.planes.phases_h; ++ph) {
      for (int64_t pw = 0; pw < p_.planes.phases_w; ++pw) {
        SplitRow(i * s_.stride_h + ph - s_.pad_top, pw,
                 planes_ + (ph * p_.planes.phases_w + pw) * p_.planes.plane() +
                     i * p_.planes.width);
      }
    }
  }

  void Compute(int64_t row, int64_t block, int32_t* sums) const {
    const Packed packed(s_);
    const int64_t rows = std::min(p_.band, s_.out_h - row);
    const int64_t width = p_.planes.width;
    const int64_t first = block * kOutputs;
    const int64_t outputs = std::min(kOutputs, s_.out_channels - first);
    const int8_t* begin = args_.w + packed.begin() + first * 4;
    for (int64_t o = 0; o < outputs; ++o) {
      const int64_t from = Int32At(begin + o * 4);
      set_.sum({reinterpret_cast<const int32_t*>(args_.w + packed.entries()) +
                    from * 2,
                Int32At(begin + o * 4 + 4) - from, at_, planes_ + row * width,
                (rows - 1) * width + s_.out_w,
                Int32At(args_.w + (first + o) * 4), sums + o * p_.pitch});
    }
    // Lanes past the last output are turned with the rest and not stored.
    std::fill(sums + outputs * p_.pitch, sums + p_.Sums(), 0);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t pixel = (image_ * s_.out_h + row + r) * s_.out_w;
      const int64_t to = pixel * args_.y_pixel + first;
      set_.finish(
          {sums + r * width,
           p_.pitch,
           s_.out_w,
           {reinterpret_cast<const float*>(args_.w + packed.multiplier()) +
                first,
            outputs, args_.residual ? args_.residual + to : nullptr,
            args_.y + to, args_.y_pixel, &args_.out}});
    }
  }

  const Plan& plan() const { return p_; }
  int32_t* sums() const {
    return reinterpret_cast<int32_t*>(planes_ + p_.image);
  }

 private:
  void SplitRow(int64_t y, int64_t phase, uint32_t* to) const {
    const int64_t plane = p_.planes.phases() * p_.planes.plane();
    const int64_t width = p_.planes.width;
    // Columns [begin, end) of the row lie inside of the image.
    const int64_t shift = s_.pad_left - phase;
    const int64_t begin =
        shift <= 0 ? 0 : std::min(width, CeilDiv(shift, s_.stride_w));
    const int64_t inside = s_.in_w + shift;
    const bool outside = y < 0 || y >= s_.in_h;
    const int64_t end =
        outside
            ? begin
            : std::clamp<int64_t>(
                  inside <= 0 ? 0 : CeilDiv(inside, s_.stride_w), begin, width);
    const uint32_t padding = args_.x_zero * 0x01010101u;
    for (int64_t g = 0; g < p_.groups; ++g) {
      uint32_t* line = to + g * plane;
      std::fill(line, line + begin, padding);
      std::fill(line + end, line + width, padding);
    }
    if (begin == end) return;
    const int64_t x = begin * s_.stride_w - shift;
    const int64_t words = args_.x_pixel / 4;
    const auto* from = reinterpret_cast<const uint32_t*>(args_.x) +
                       ((image_ * s_.in_h + y) * s_.in_w + x) * words;
    set_.split(
        {from, s_.stride_w * words, end - begin, p_.groups, to + begin, plane});
  }

  const ConvS8SparseSet& set_;
  const ConvS8Args& args_;
  const ConvF32Shape& s_;
  const Plan p_;
  int32_t* at_;
  uint32_t* planes_;
  const int64_t image_;
};

}  // namespace

bool SparseS8Supports(const ConvF32Shape& shape) {
  return ConvSparseSupports(WordShape(shape)) && shape.groups == 1;
}

int64_t SparseS8PackedBytes(const ConvS8Kernel&, const ConvF32Shape& shape,
                            int64_t) {
  return Packed(shape).bytes(shape.out_channels * GroupsOf(shape) *
                             shape.taps());
}

void SparseS8Pack(const ConvS8Kernel&, const ConvF32Shape& s,
                  const ConvS8Weights& weights, int8_t* to) {
  const Packed packed(s);
  std::memset(to, 0, static_cast<size_t>(packed.entries()));
  const size_t four = static_cast<size_t>(s.out_channels) * 4;
  std::memcpy(to, weights.bias, four);
  std::memcpy(to + packed.multiplier(), weights.multiplier, four);
  auto* begin = reinterpret_cast<int32_t*>(to + packed.begin());
  auto* entries = reinterpret_cast<int32_t*>(to + packed.entries());
  int32_t count = 0;
  for (int64_t o = 0; o < s.out_channels; ++o) {
    begin[o] = count;
    for (int64_t place = 0; place < GroupsOf(s) * s.taps(); ++place) {
      const int32_t word = WordAt(s, weights.w, o, place);
      if (word == 0) continue;
      entries[2 * count] = static_cast<int32_t>(place);
      entries[2 * count + 1] = word;
      ++count;
    }
  }
  begin[s.out_channels] = count;
}

int64_t SparseS8UsedBytes(const ConvF32Shape& shape, const int8_t* packed) {
  const Packed layout(shape);
  return layout.bytes(
      Int32At(packed + layout.begin() + shape.out_channels * 4));
}

bool IsSparseS8(const ConvF32Shape& shape, const int8_t* packed,
                int64_t bytes) {
  const Packed layout(shape);
  if (bytes < layout.bytes(0)) return false;
  const int8_t* begin = packed + layout.begin();
  int32_t last = 0;
  for (int64_t o = 0; o <= shape.out_channels; ++o) {
    const int32_t next = Int32At(begin + o * 4);
    if (next < last || (o == 0 && next != 0)) return false;
    last = next;
  }
  if (bytes != layout.bytes(last)) return false;
  const int64_t places = GroupsOf(shape) * shape.taps();
  for (int64_t e = 0; e < last; ++e) {
    const int32_t place = Int32At(packed + layout.entries() + e * 8);
    if (place < 0 || place >= places) return false;
  }
  return true;
}

double SparseS8Share(const ConvF32Shape& shape, const int8_t* w) {
  const int64_t places = GroupsOf(shape) * shape.taps();
  int64_t count = 0;
  for (int64_t o = 0; o < shape.out_channels; ++o) {
    for (int64_t place = 0; place < places; ++place) {
      count += WordAt(shape, w, o, place) != 0;
    }
  }
  return static_cast<double>(count) /
         static_cast<double>(std::max<int64_t>(1, places * shape.out_channels));
}

int64_t SparseS8ScratchBytes(const ConvS8Kernel&, const ConvF32Shape& shape,
                             int64_t, int threads) {
  const Plan p = MakePlan(shape);
  return (p.places + p.image + threads * p.Sums()) * 4;
}

void SparseS8(const ConvS8Kernel& kernel, const ConvS8Args& args,
              ThreadPool* pool) {
  FillSparsePlaceOffsets(WordShape(args.shape), MakeSparsePlanes(args.shape),
                         reinterpret_cast<int32_t*>(args.scratch));
  for (int64_t n = 0; n < args.shape.batch; ++n) {
    const SparseConv conv(*kernel.sparse, args, n);
    const Plan& p = conv.plan();
    pool->ParallelFor(p.planes.height, 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) conv.Split(i);
    });
    const int64_t bands = CeilDiv(args.shape.out_h, p.band);
    pool->ParallelTurns(
        bands * p.out_blocks, 1, [&](int part, int64_t begin, int64_t end) {
          int32_t* sums = conv.sums() + part * p.Sums();
          for (int64_t i = begin; i < end; ++i) {
            conv.Compute(i / p.out_blocks * p.band, i % p.out_blocks, sums);
          }
        });
  }
}

}  // namespace stint
