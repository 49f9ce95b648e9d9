#include "kernels/conv_sparse_f32/gather.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"

namespace stint {
namespace {

// Rows in order, a cache line of pixels at a time: what is written past the end
// of one is overwritten by the next; columns have room for that of the last.
void CopyRows(const float* from, int64_t from_row, int64_t rows, int64_t pixels,
              float* to) {
  constexpr int64_t kLine = 16;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < pixels; j += kLine) {
      std::memcpy(to + i * pixels + j, from + i * from_row + j,
                  kLine * sizeof(float));
    }
  }
}

}  // namespace

int64_t SparseGatherer::ChannelsOf(int64_t block) const {
  return std::min(p_.block, s_.in_channels - block * p_.block);
}

void SparseGatherer::Gather(const SparseBand& band, int64_t block,
                            float* gathered, float* planes) const {
  const int64_t first = block * p_.block;
  if (p_.gather == SparseGather::kColumns) {
    Planes(band, block, planes);
    Columns(band, block, planes, gathered + first * s_.taps() * p_.column);
  } else {
    const int64_t channel = p_.planes.phases() * p_.planes.plane();
    Planes(band, block, gathered + first * channel);
  }
}

void SparseGatherer::Planes(const SparseBand& band, int64_t block,
                            float* planes) const {
  const int64_t height = band.rows + SparseHalo(s_);
  for (int64_t ph = 0; ph < p_.planes.phases_h; ++ph) {
    for (int64_t pw = 0; pw < p_.planes.phases_w; ++pw) {
      float* to = planes + (ph * p_.planes.phases_w + pw) * p_.planes.plane();
      for (int64_t i = 0; i < height; ++i) {
        const int64_t y = (band.row + i) * s_.stride_h + ph - s_.pad_top;
        Split({band.image, block, y, pw}, to + i * p_.planes.width);
      }
    }
  }
}

void SparseGatherer::Columns(const SparseBand& band, int64_t block,
                             const float* planes, float* columns) const {
  for (int64_t c = 0; c < ChannelsOf(block); ++c) {
    for (int64_t r = 0; r < s_.kernel_h; ++r) {
      for (int64_t q = 0; q < s_.kernel_w; ++q, columns += p_.column) {
        const int64_t y = r * s_.dilation_h;
        const int64_t x = q * s_.dilation_w;
        const int64_t phase =
            y % s_.stride_h * p_.planes.phases_w + x % s_.stride_w;
        const float* from =
            planes + (c * p_.planes.phases() + phase) * p_.planes.plane() +
            y / s_.stride_h * p_.planes.width + x / s_.stride_w;
        CopyRows(from, p_.planes.width, band.rows, s_.out_w, columns);
      }
    }
  }
}

SparseGatherer::Inside SparseGatherer::InsideOf(const Line& line) const {
  if (line.y < 0 || line.y >= s_.in_h) return {};
  const int64_t width = p_.planes.width;
  const int64_t shift = s_.pad_left - line.phase;
  const int64_t begin =
      shift <= 0 ? 0 : std::min(width, CeilDiv(shift, s_.stride_w));
  const int64_t inside = s_.in_w + shift;
  const int64_t end = std::clamp<int64_t>(
      inside <= 0 ? 0 : CeilDiv(inside, s_.stride_w), begin, width);
  return {begin, end, begin * s_.stride_w - shift};
}

void SparseGatherer::Split(const Line& line, float* to) const {
  const int64_t plane = p_.planes.phases() * p_.planes.plane();
  const Inside inside = InsideOf(line);
  const int64_t channels = ChannelsOf(line.block);
  for (int64_t c = 0; c < channels; ++c) {
    float* row = to + c * plane;
    std::fill(row, row + inside.begin, 0.0f);
    std::fill(row + inside.end, row + p_.planes.width, 0.0f);
  }
  if (inside.begin == inside.end) return;
  if (args_.plain_input) return SplitPlain(line, inside, to);
  const bool last = args_.channels_last;
  const int64_t at =
      last ? ((line.image * s_.in_h + line.y) * s_.in_w + inside.x) *
                     p_.in_blocks +
                 line.block
           : ((line.image * p_.in_blocks + line.block) * s_.in_h + line.y) *
                     s_.in_w +
                 inside.x;
  loops_.split({args_.x + at * p_.block,
                s_.stride_w * (last ? p_.in_blocks : 1),
                inside.end - inside.begin, channels, to + inside.begin, plane});
}

void SparseGatherer::SplitPlain(const Line& line, const Inside& inside,
                                float* to) const {
  const int64_t plane = p_.planes.phases() * p_.planes.plane();
  const int64_t first = line.image * s_.in_channels + line.block * p_.block;
  for (int64_t c = 0; c < ChannelsOf(line.block); ++c) {
    const float* from =
        args_.x + ((first + c) * s_.in_h + line.y) * s_.in_w + inside.x;
    float* row = to + c * plane;
    for (int64_t j = inside.begin; j < inside.end; ++j, from += s_.stride_w) {
      row[j] = *from;
    }
  }
}

}  // namespace stint
