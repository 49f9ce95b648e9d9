#include "kernels/gemm_s8/gemm_s8.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"
#include "kernels/gemm_f32/blocking.h"
#include "kernels/simd/tile_product.h"

namespace stint {
namespace {

// A block of A stays in L2 beside two panels of B.
constexpr int64_t kBlockBytesA = 512 * 1024;

// Multiply-adds below which a second thread costs more than it saves: a core
// does four times as many as in fp32.
constexpr int64_t kMinParallelProducts = 4 * kMinParallelWork;

int64_t PanelBytes(const GemmS8Kernel& kernel, int64_t k) {
  return RoundUp(k, kernel.step_k) * kernel.tile_n;
}

// Bytes of a row of A as tiles.
int64_t TileRowBytes(const GemmS8Kernel& kernel, int64_t k) {
  return RoundUp(k, kernel.step_k);
}

// Sums of columns follow the panels.
int64_t SumsOffset(const GemmS8Kernel& kernel, int64_t n, int64_t k) {
  return RoundUp(CeilDiv(n, kernel.tile_n) * PanelBytes(kernel, k), 64);
}

struct Panel {
  int64_t first;
  int64_t cols;
  int8_t* data;
  int32_t* sums;
};

void PackPanel(const GemmS8Kernel& kernel, const GemmS8Matrix& b, int64_t k,
               const Panel& panel) {
  const int64_t step_k = b.transposed ? 1 : b.ldb;
  const int64_t step_n = b.transposed ? b.ldb : 1;
  const int64_t strip = kernel.strip_n;
  std::fill_n(panel.data, PanelBytes(kernel, k), int8_t{0});
  std::fill_n(panel.sums, kernel.tile_n, 0);
  for (int64_t p = 0; p < k; ++p) {
    const int8_t* from = b.data + p * step_k + panel.first * step_n;
    const int64_t step = p / kernel.step_k, within = p % kernel.step_k;
    int8_t* to = panel.data + step * kernel.step_k * kernel.tile_n +
                 within / 4 * 4 * strip + p % 4;
    for (int64_t j = 0; j < panel.cols; ++j) {
      const int8_t w = from[j * step_n];
      to[j / strip * strip * kernel.step_k + j % strip * 4] = w;
      panel.sums[j] += w;
    }
  }
}

// Tiles of rows [begin, end) * 16 of A; rows and bytes past the last are 0.
void PackRowTiles(const GemmS8Kernel& kernel, const GemmS8Args& args,
                  int64_t begin, int64_t end) {
  const int64_t row_bytes = TileRowBytes(kernel, args.k);
  if (row_bytes == 0) return;
  for (int64_t t = begin; t < end; ++t) {
    uint8_t* tiles = args.scratch + t * kTileRows * row_bytes;
    std::memset(tiles, 0, static_cast<size_t>(kTileRows * row_bytes));
    const int64_t last = std::min((t + 1) * kTileRows, args.m);
    for (int64_t i = t * kTileRows; i < last; ++i) {
      const uint8_t* row = args.a + i * args.lda;
      uint8_t* to = tiles + i % kTileRows * kTileRowBytes;
      for (int64_t p = 0; p < args.k; p += kTileRowBytes, to += kTileBytes) {
        std::memcpy(to, row + p,
                    static_cast<size_t>(std::min(kTileRowBytes, args.k - p)));
      }
    }
  }
}

struct Span2d {
  GemmRange rows;
  GemmRange cols;
};

GemmS8Block MakeBlock(const GemmS8Args& args) {
  return {.a = args.a,
          .lda = args.lda,
          .b = args.b,
          .b_next = nullptr,
          .sums = nullptr,
          .m = args.m,
          .n = args.n,
          .groups = CeilDiv(args.k, 4),
          .scale_a = args.scale_a,
          .zero_a = args.zero_a,
          .row_step = args.row_step,
          .scale_b = args.scale_b,
          .bias_n = args.bias_n,
          .residual = args.residual,
          .ldr = args.ldr,
          .act = args.act,
          .c = args.c,
          .c8 = args.c8,
          .ldc = args.ldc,
          .out = args.out};
}

// Points `block` at rows from i and columns from j.
void MoveBlock(const GemmS8Kernel& kernel, const GemmS8Args& args, int64_t i,
               int64_t j, GemmS8Block* block) {
  const int64_t panel = PanelBytes(kernel, args.k);
  if (kernel.a_tiles) {
    block->lda = TileRowBytes(kernel, args.k);
    block->a = args.scratch + i * block->lda;
  } else {
    block->a = args.a + i * args.lda;
  }
  block->b = args.b + j / kernel.tile_n * panel;
  block->b_next = block->b + panel;
  block->sums = reinterpret_cast<const int32_t*>(
                    args.b + SumsOffset(kernel, args.n, args.k)) +
                j;
  block->scale_a = args.scale_a + i * args.row_step;
  block->zero_a = args.zero_a + i * args.row_step;
  block->scale_b = args.scale_b + j;
  if (args.bias_n) block->bias_n = args.bias_n + j;
  if (args.residual) block->residual = args.residual + i * args.ldr + j;
  if (args.c) block->c = args.c + i * args.ldc + j;
  if (args.c8) block->c8 = args.c8 + i * args.ldc + j;
}

void RunSpan(const GemmS8Kernel& kernel, const GemmS8Args& args,
             const Span2d& span) {
  const int64_t rows = span.rows.end - span.rows.begin;
  const int64_t most = std::max<int64_t>(1, kBlockBytesA / (args.k + 1));
  const int64_t step_m = EvenBlock(rows, most, kernel.tile_m);
  GemmS8Block block = MakeBlock(args);
  TileShape shape;
  block.shape = &shape;
  for (int64_t i = span.rows.begin; i < span.rows.end; i += step_m) {
    block.m = std::min(step_m, span.rows.end - i);
    for (int64_t j = span.cols.begin; j < span.cols.end; j += kernel.tile_n) {
      block.n = std::min<int64_t>(kernel.tile_n, span.cols.end - j);
      MoveBlock(kernel, args, i, j, &block);
      kernel.run(block);
    }
  }
  if (kernel.release) kernel.release(&shape);
}

}  // namespace

int64_t GemmS8ScratchBytes(const GemmS8Kernel& kernel, int64_t m, int64_t k) {
  return kernel.a_tiles ? RoundUp(m, kTileRows) * TileRowBytes(kernel, k) : 0;
}

int64_t GemmS8PackedBytes(const GemmS8Kernel& kernel, int64_t n, int64_t k) {
  return SumsOffset(kernel, n, k) +
         RoundUp(n, kernel.tile_n) * static_cast<int64_t>(sizeof(int32_t));
}

void GemmS8PackB(const GemmS8Kernel& kernel, const GemmS8Matrix& b, int64_t n,
                 int64_t k, int8_t* packed, ThreadPool* pool) {
  const int64_t tile = kernel.tile_n;
  const int64_t bytes = PanelBytes(kernel, k);
  int32_t* sums = reinterpret_cast<int32_t*>(packed + SumsOffset(kernel, n, k));
  auto pack = [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      PackPanel(kernel, b, k,
                {.first = p * tile,
                 .cols = std::min(tile, n - p * tile),
                 .data = packed + p * bytes,
                 .sums = sums + p * tile});
    }
  };
  const int64_t panels = CeilDiv(n, tile);
  if (pool == nullptr) {
    pack(0, panels);
  } else {
    pool->ParallelFor(panels, CeilDiv(kMinParallelWork, tile * (k + 1)), pack);
  }
}

void GemmS8(const GemmS8Kernel& kernel, const GemmS8Args& args,
            ThreadPool* pool) {
  if (args.m == 0 || args.n == 0) return;
  const int64_t row_tiles = kernel.a_tiles ? CeilDiv(args.m, kTileRows) : 0;
  // Tiles do eight times as many products.
  const int64_t least = (kernel.a_tiles ? 8 : 1) * kMinParallelProducts;
  if (pool == nullptr || pool->threads() == 1 ||
      args.m * args.n * args.k < least) {
    PackRowTiles(kernel, args, 0, row_tiles);
    return RunSpan(kernel, args, {{0, args.m}, {0, args.n}});
  }
  pool->ParallelFor(row_tiles, CeilDiv(kMinParallelProducts, 16 * (args.k + 1)),
                    [&](int64_t begin, int64_t end) {
                      PackRowTiles(kernel, args, begin, end);
                    });
  const GemmGrid grid =
      SplitGemm(CeilDiv(args.m, kernel.tile_m), CeilDiv(args.n, kernel.tile_n),
                pool->threads());
  pool->ParallelParts([&](int part) {
    if (part >= grid.rows * grid.cols) return;
    RunSpan(kernel, args,
            {PartOf(args.m, kernel.tile_m, part / grid.cols, grid.rows),
             PartOf(args.n, kernel.tile_n, part % grid.cols, grid.cols)});
  });
}

void QuantizeRows(const GemmS8Kernel& kernel, const QuantizeRowsArgs& args,
                  ThreadPool* pool) {
  auto quantize = [&](int64_t begin, int64_t end) {
    QuantizeRowsArgs part = args;
    part.m = end - begin;
    part.x += begin * args.ldx;
    part.q += begin * args.ldq;
    part.scale += begin;
    part.zero += begin;
    kernel.quantize(part);
  };
  if (pool == nullptr) {
    quantize(0, args.m);
  } else {
    pool->ParallelFor(args.m, CeilDiv(kMinParallelWork, args.k + 1), quantize);
  }
}

}  // namespace stint
