#include "kernels/gemm_s8/blocks.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"
#include "kernels/geometry/blocking.h"
#include "kernels/simd/tile_product.h"

namespace stint {
namespace {

constexpr int64_t kBlockBytesA = 512 * 1024;

// Multiply-adds below which a second thread costs more than it saves: a core
// does four times as many as in fp32.
constexpr int64_t kMinParallelProducts = 4 * kMinParallelWork;

// Copies 16 rows from `row` into tiles; rows and bytes past the last are 0.
void CopyRowTile(const GemmS8Kernel& kernel, const GemmS8Args& args,
                 int64_t row, uint8_t* tiles) {
  std::memset(tiles, 0,
              static_cast<size_t>(kTileRows * RoundUp(args.k, kernel.step_k)));
  const int64_t last = std::min(row + kTileRows, args.m);
  for (int64_t i = row; i < last; ++i) {
    const uint8_t* from = args.a + i * args.lda;
    uint8_t* to = tiles + i % kTileRows * kTileRowBytes;
    int64_t p = 0;
    for (; p + kTileRowBytes <= args.k; p += kTileRowBytes, to += kTileBytes) {
      std::memcpy(to, from + p, kTileRowBytes);
    }
    std::memcpy(to, from + p, static_cast<size_t>(args.k - p));
  }
}

}  // namespace

int64_t GemmS8PanelBytes(const GemmS8Kernel& kernel, int64_t k) {
  return RoundUp(k, kernel.step_k) * kernel.tile_n;
}

int64_t GemmS8BlockRows(const GemmS8Kernel& kernel, int64_t rows, int64_t k) {
  const int64_t most = std::max<int64_t>(1, kBlockBytesA / (k + 1));
  return EvenBlock(rows, most, kernel.tile_m);
}

bool GemmS8Pays(const GemmS8Kernel& kernel, const GemmS8Args& args,
                ThreadPool* pool) {
  // Tiles do eight times as many products.
  const int64_t least = (kernel.a_tiles ? 8 : 1) * kMinParallelProducts;
  return pool != nullptr && pool->threads() > 1 &&
         args.m * args.n * args.k >= least;
}

QuantizeRowsArgs RowsOf(const QuantizeRowsArgs& args, const GemmRange& range) {
  QuantizeRowsArgs rows = args;
  rows.m = range.end - range.begin;
  rows.x += range.begin * args.ldx;
  rows.q += range.begin * args.ldq;
  rows.scale += range.begin;
  rows.zero += range.begin;
  return rows;
}

void TakeGemmS8Rows(const GemmS8Kernel& kernel, const GemmS8Args& args,
                    const GemmRange& range) {
  if (args.quantize != nullptr && !kernel.a_tiles) {
    kernel.quantize(RowsOf(*args.quantize, range));
  }
  if (!kernel.a_tiles || args.k == 0) return;
  const int64_t row_bytes = RoundUp(args.k, kernel.step_k);
  for (int64_t row = range.begin; row < range.end; row += kTileRows) {
    uint8_t* tiles = args.scratch + row * row_bytes;
    if (args.quantize == nullptr) {
      CopyRowTile(kernel, args, row, tiles);
      continue;
    }
    QuantizeRowsArgs rows = RowsOf(
        *args.quantize, {row, std::min<int64_t>(row + kTileRows, range.end)});
    rows.q = tiles;
    rows.ldq = kTileRowBytes;
    rows.piece_stride = kTileBytes;
    kernel.quantize(rows);
  }
}

void TakeGemmS8Rows(const GemmS8Kernel& kernel, const GemmS8Args& args,
                    ThreadPool* pool) {
  if (pool == nullptr) return TakeGemmS8Rows(kernel, args, {0, args.m});
  // By 16 rows, so that no two threads write to one tile.
  pool->ParallelFor(
      CeilDiv(args.m, kTileRows), CeilDiv(kMinParallelWork, 16 * (args.k + 1)),
      [&](int64_t begin, int64_t end) {
        TakeGemmS8Rows(kernel, args,
                       {begin * kTileRows, std::min(end * kTileRows, args.m)});
      });
}

GemmS8Block GemmS8BlockAt(const GemmS8Kernel& kernel, const GemmS8Args& args,
                          int64_t i, int64_t j) {
  GemmS8Block block{};
  if (kernel.a_tiles) {
    block.lda = RoundUp(args.k, kernel.step_k);
    block.a = args.scratch + i * block.lda;
  } else {
    block.lda = args.lda;
    block.a = args.a + i * args.lda;
  }
  block.groups = CeilDiv(args.k, 4);
  block.scale_a = args.scale_a + i * args.row_step;
  block.zero_a = args.zero_a + i * args.row_step;
  block.row_step = args.row_step;
  block.scale_b = args.scale_b + j;
  if (args.bias_n) block.bias_n = args.bias_n + j;
  if (args.residual) block.residual = args.residual + i * args.ldr + j;
  block.ldr = args.ldr;
  block.act = args.act;
  if (args.c) block.c = args.c + i * args.ldc + j;
  if (args.c8) block.c8 = args.c8 + i * args.ldc + j;
  block.ldc = args.ldc;
  block.out = args.out;
  return block;
}

}  // namespace stint
