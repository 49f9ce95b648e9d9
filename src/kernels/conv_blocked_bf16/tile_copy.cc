#include "kernels/conv_blocked_bf16/tile_copy.h"

#include <algorithm>
#include <cstring>

namespace stint {
namespace {

// Where the block of channels that `lane` of plane i belongs to begins in x:
// one of the two, or neither past the last.
struct Source {
  const float* floats = nullptr;
  const uint16_t* narrow = nullptr;
};

Source SourceOf(const ConvTileBand& band, int64_t i, int64_t lane) {
  const ConvBf16Args& args = *band.args;
  const ConvF32Shape& s = args.shape;
  const ConvForm form = args.forms.x;
  const int64_t width = form == ConvForm::kNarrow  ? kNarrowBlock
                        : form == ConvForm::kPlain ? s.in_channels
                                                   : kConvTileBlock;
  const int64_t blocks = CeilDiv(s.in_channels, width);
  const int64_t b = (i * band.plan->lanes + lane) / width;
  if (b >= blocks) return {};
  const int64_t at = (band.image * blocks + b) * width * s.in_plane();
  if (form == ConvForm::kNarrow) {
    return {nullptr, static_cast<const uint16_t*>(args.x) + at};
  }
  return {static_cast<const float*>(args.x) + at, nullptr};
}

// `count` neighbors from `pixel` on.
void CopySpan(const ConvTileBand& band, const Source& from, int64_t pixel,
              int64_t count, uint16_t* to) {
  const ConvF32Shape& s = band.args->shape;
  if (from.narrow != nullptr) {
    std::memcpy(to, from.narrow + pixel * kNarrowBlock,
                static_cast<size_t>(count * kNarrowBlock) * sizeof(*to));
  } else if (band.args->forms.x == ConvForm::kPlain) {
    band.code->round_plain(
        {from.floats + pixel, s.in_channels, s.in_plane(), to, count});
  } else {
    band.code->round({from.floats + pixel * kConvTileBlock, kConvTileBlock, to,
                      band.plan->lanes, count});
  }
}

// Outputs [first, first + count) of a flat image.
void CopyFlat(const ConvTileBand& band, const Source& from, int64_t first,
              int64_t count, uint16_t* to) {
  const ConvF32Shape& s = band.args->shape;
  const int64_t lanes = band.plan->lanes;
  if (s.in_w == s.out_w && s.in_h == s.out_h && s.stride_w == 1 &&
      s.stride_h == 1 && s.pad_left == 0 && s.pad_top == 0) {
    return CopySpan(band, from, first, count, to);
  }
  int64_t row = first / s.out_w;
  int64_t col = first % s.out_w;
  for (int64_t i = 0; i < count; ++i, to += lanes) {
    const int64_t y = row * s.stride_h - s.pad_top;
    const int64_t z = col * s.stride_w - s.pad_left;
    if (y >= 0 && y < s.in_h && z >= 0 && z < s.in_w) {
      CopySpan(band, from, y * s.in_w + z, 1, to);
    }
    if (++col == s.out_w) {
      col = 0;
      ++row;
    }
  }
}

// One row of a block of channels: an image row with zeros around it, or a piece
// of a flat image. The row is zero where nothing is written.
void CopyBlockRow(const ConvTileBand& band, const Source& from, int64_t r,
                  uint16_t* to) {
  const ConvTilePlan& p = *band.plan;
  const ConvF32Shape& s = band.args->shape;
  if (p.flat) {
    const int64_t first = (band.rows.begin + r) * p.cols;
    return CopyFlat(band, from, first, std::min(p.cols, s.out_plane() - first),
                    to);
  }
  const int64_t y = band.rows.begin * s.stride_h - s.pad_top + r;
  if (y < 0 || y >= s.in_h) return;
  const int64_t left = std::min(s.pad_left, p.pitch);
  const int64_t count = std::min(p.pitch - left, s.in_w);
  CopySpan(band, from, y * s.in_w, count, to + left * p.lanes);
}

// Every pixel of a flat copy that is multiplied comes from the image.
bool FlatIsInside(const ConvF32Shape& s) {
  return s.pad_top == 0 && s.pad_left == 0 &&
         (s.out_h - 1) * s.stride_h < s.in_h &&
         (s.out_w - 1) * s.stride_w < s.in_w;
}

// The pixels of a row that no image covers, or all of them where an image
// leaves lanes.
void ClearRow(const ConvTileBand& band, int64_t r, bool leaves_lanes,
              uint16_t* to) {
  const ConvTilePlan& p = *band.plan;
  const ConvF32Shape& s = band.args->shape;
  const auto clear = [&](int64_t first, int64_t count) {
    std::memset(to + first * p.lanes, 0,
                static_cast<size_t>(count * p.PixelBytes()));
  };
  const int64_t y = band.rows.begin * s.stride_h - s.pad_top + r;
  if (leaves_lanes) return clear(0, p.pitch);
  if (p.flat && FlatIsInside(s)) return;
  if (p.flat || y < 0 || y >= s.in_h) return clear(0, p.pitch);
  const int64_t left = std::min(s.pad_left, p.pitch);
  const int64_t end = left + std::min(p.pitch - left, s.in_w);
  clear(0, left);
  clear(end, p.pitch - end);
}

}  // namespace

void CopyConvBand(const ConvTileBand& band, uint16_t* copy) {
  const ConvTilePlan& p = *band.plan;
  const int64_t rows = band.rows.end - band.rows.begin;
  const int64_t rows_in = p.band_in - (p.band - rows) * p.stride_h;
  const bool halves =
      p.lanes == kNarrowBlock && band.args->forms.x == ConvForm::kBlocked;
  for (int64_t i = 0; i < p.planes; ++i) {
    const Source from = SourceOf(band, i, 0);
    const Source half = halves ? SourceOf(band, i, kConvTileBlock) : Source{};
    for (int64_t r = 0; r < rows_in; ++r) {
      uint16_t* to = copy + (i * p.band_in + r) * p.pitch * p.lanes;
      ClearRow(band, r, halves && half.floats == nullptr, to);
      CopyBlockRow(band, from, r, to);
      if (half.floats) CopyBlockRow(band, half, r, to + kConvTileBlock);
    }
  }
}

}  // namespace stint
