#include "kernels/conv_blocked_f32/im2col.h"

#include <algorithm>

#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/direct/direct_schedule.h"
#include "kernels/conv_blocked_f32/gathered.h"
#include "kernels/geometry/padded_lanes.h"

namespace stint {
namespace {

// Columns of a band: half an L2 of 1 MB.
constexpr int64_t kColumnBytes = 512 * 1024;

// Pixels of a band.
int64_t BandOf(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s,
               int threads) {
  const int64_t out_blocks = CeilDiv(s.out_channels, kernel.block);
  const int64_t tile =
      PickConvTile(*kernel.tiles, s.out_plane(), out_blocks, kConvTileBlocks)
          .pixels;
  const int64_t pixel_bytes =
      RoundUp(s.in_channels, kernel.block) * s.taps() * int64_t{sizeof(float)};
  const int64_t own = std::min(kColumnBytes / pixel_bytes,
                               CeilDiv(s.batch * s.out_plane(), threads));
  const int64_t limit = kernel.schedule.band > 0 ? kernel.schedule.band : own;
  return EvenBlock(s.out_plane(), std::max(limit, tile), tile);
}

int64_t ColumnFloats(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s,
                     int threads) {
  return RoundUp(s.in_channels, kernel.block) * s.taps() *
         BandOf(kernel, s, threads);
}

// The pixels that tap (r, q) sees of a row of outputs, columns [cols).
void CopyTap(const ConvF32Shape& s, const float* plane, int64_t y, int64_t q,
             GemmRange cols, int64_t block, float* to) {
  const int64_t z = cols.begin * s.stride_w - s.pad_left + q * s.dilation_w;
  const int64_t count = cols.end - cols.begin;
  if (s.stride_w == 1) {
    return CopyPatch(s, plane, {y, y + 1}, {z, z + count}, block, to);
  }
  for (int64_t c = 0; c < count; ++c) {
    const int64_t at = z + c * s.stride_w;
    CopyPatch(s, plane, {y, y + 1}, {at, at + 1}, block, to + c * block);
  }
}

// columns[plane, tap, pixel, lane] of the pixels [band) of an image.
void Gather(const ConvBlockedF32Args& args, int64_t block, const float* image,
            GemmRange band, float* columns) {
  const ConvF32Shape& s = args.shape;
  const int64_t planes = CeilDiv(s.in_channels, block);
  const int64_t pixels = band.end - band.begin;
  for (int64_t i = 0; i < planes * s.taps(); ++i) {
    const float* plane = image + i / s.taps() * s.in_plane() * block;
    const int64_t r = i % s.taps() / s.kernel_w;
    float* to = columns + i * pixels * block;
    for (int64_t p = band.begin; p < band.end;) {
      const int64_t row = p / s.out_w;
      const int64_t end = std::min(band.end, (row + 1) * s.out_w);
      const int64_t y = row * s.stride_h - s.pad_top + r * s.dilation_h;
      CopyTap(s, plane, y, i % s.kernel_w,
              {p - row * s.out_w, end - row * s.out_w}, block,
              to + (p - band.begin) * block);
      p = end;
    }
  }
}

void RunBand(const ConvBlockedF32Kernel& kernel, const ConvBlockedF32Args& args,
             int64_t image, GemmRange band, float* columns) {
  const ConvF32Shape& s = args.shape;
  const int64_t block = kernel.block;
  const int64_t out_blocks = CeilDiv(s.out_channels, block);
  const int64_t pixels = band.end - band.begin;
  Gather(args, block,
         args.x + image * BlockedFloats(s.in_channels, s.in_plane(), block),
         band, columns);
  const int64_t tap = pixels * block;
  const GatheredInput in{
      columns, 0, block, {s.taps() * tap, s.kernel_w * tap, tap}};
  const int64_t y_block = s.out_plane() * block;
  const int64_t at = image * out_blocks * y_block + band.begin * block;
  MultiplyGathered(kernel, args, in,
                   {args.y + at,
                    args.residual ? args.residual + at : nullptr,
                    0,
                    y_block,
                    1,
                    pixels,
                    {0, out_blocks}});
  const int64_t keep = LanesToKeep(s.out_channels, block, args.act);
  if (keep < block) {
    ClearLanes(args.y + at + (out_blocks - 1) * y_block, pixels, block, keep);
  }
}

}  // namespace

int64_t Im2colScratchBytes(const ConvBlockedF32Kernel& kernel,
                           const ConvF32Shape& shape, int threads) {
  const int parts = ScheduledThreads(kernel.schedule, threads);
  return parts * ColumnFloats(kernel, shape, parts) * int64_t{sizeof(float)};
}

void Im2colConv(const ConvBlockedF32Kernel& kernel,
                const ConvBlockedF32Args& args, ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  const int threads = ScheduledThreads(kernel.schedule, pool->threads());
  const int64_t band = BandOf(kernel, s, threads);
  const int64_t per_image = CeilDiv(s.out_plane(), band);
  auto share = [&](int part) {
    float* columns = args.scratch + part * ColumnFloats(kernel, s, threads);
    const GemmRange bands = PartOf(s.batch * per_image, 1, part, threads);
    for (int64_t b = bands.begin; b < bands.end; ++b) {
      const int64_t first = b % per_image * band;
      RunBand(kernel, args, b / per_image,
              {first, std::min(first + band, s.out_plane())}, columns);
    }
  };
  pool->ParallelFor(threads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) share(static_cast<int>(i));
  });
}

}  // namespace stint
