#include "kernels/gemm_bf16/gemm_bf16.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/gemm_bf16/bf16_tiles.h"
#include "kernels/geometry/blocking.h"

namespace stint {
namespace {

int64_t PanelSize(const GemmBf16Kernel& kernel, int64_t k) {
  return RoundUp(k, kernel.step_k) * kernel.tile_n;
}

// Elements of 16 rows of A as tiles.
int64_t RowTileSize(const GemmBf16Kernel& kernel, int64_t k) {
  return RoundUp(k, kernel.step_k) * kTileRows;
}

// Multiply-adds below which a second thread costs more than it saves: AMX does
// 16 times as many, dot products of bf16 twice as many.
int64_t MinParallelWork(const GemmBf16Kernel& kernel) {
  if (kernel.pack_a == nullptr) return kMinParallelWork;
  return (kernel.isa == Isa::kBf16 ? 2 : 16) * kMinParallelWork;
}

// With tiles, adding to C in memory costs as much as a dozen steps: 128 rows of
// 4096 in bf16 are 1 MB, half of the L2 of CPUs that have AMX.
constexpr int64_t kTileBlockK = 4096;

struct Span2d {
  GemmRange rows;
  GemmRange cols;
};

GemmBf16Block MakeBlock(const GemmBf16Args& args) {
  const GemmF32Args& f32 = args.f32;
  return {.f32 = {.a = f32.a,
                  .lda = f32.lda,
                  .b = nullptr,
                  .ldb = 0,
                  .b_next = nullptr,
                  .c = f32.c,
                  .ldc = f32.ldc,
                  .m = f32.m,
                  .n = f32.n,
                  .k = f32.k,
                  .accumulate = false,
                  .finish = true,
                  .alpha = f32.alpha,
                  .bias_m = f32.bias_m,
                  .bias_n = f32.bias_n,
                  .residual = f32.residual,
                  .ldr = f32.ldr,
                  .act = f32.act},
          .b = args.b,
          .b_next = nullptr};
}

// Points `block` at rows from i, columns from j and steps from p.
void MoveBlock(const GemmBf16Kernel& kernel, const GemmBf16Args& args,
               const int64_t (&at)[3], GemmBf16Block* block) {
  const auto [i, j, p] = at;
  const GemmF32Args& f32 = args.f32;
  const int64_t panel = PanelSize(kernel, f32.k);
  block->b = args.b + j / kernel.tile_n * panel + p * kernel.tile_n;
  block->b_next = block->b + panel;
  block->f32.a = f32.a + i * f32.lda + p;
  block->a_row_tile = RowTileSize(kernel, f32.k);
  if (kernel.pack_a) {
    block->a = args.scratch + i / kTileRows * block->a_row_tile + p * kTileRows;
  }
  block->f32.c = f32.c + i * f32.ldc + j;
  if (f32.bias_m) block->f32.bias_m = f32.bias_m + i;
  if (f32.bias_n) block->f32.bias_n = f32.bias_n + j;
  if (f32.residual) block->f32.residual = f32.residual + i * f32.ldr + j;
}

// Steps of k of a block. A small A is in L2 as a whole: panels are read from
// end to end. Decided by all rows, not by a thread's: blocks change the order
// of summation.
int64_t StepK(const GemmBf16Kernel& kernel, const GemmF32Args& f32) {
  const bool small = f32.m * f32.k <= kGemmBlockM * kGemmBlockK;
  int64_t limit = small ? std::max<int64_t>(f32.k, 1) : kGemmBlockK;
  if (kernel.pack_a) limit = std::max(limit, kTileBlockK);
  return EvenBlock(f32.k, limit, kernel.step_k);
}

void RunSpan(const GemmBf16Kernel& kernel, const GemmBf16Args& args,
             const Span2d& span) {
  const int64_t rows = span.rows.end - span.rows.begin;
  const int64_t step_m = EvenBlock(rows, kGemmBlockM, kernel.tile_m);
  const int64_t k = args.f32.k;
  const int64_t step_k = StepK(kernel, args.f32);
  GemmBf16Block block = MakeBlock(args);
  GemmBf16Tiles tiles;
  block.tiles = &tiles;
  int64_t p = 0;
  do {
    block.f32.k = std::min(step_k, k - p);
    block.f32.accumulate = p > 0;
    block.f32.finish = p + block.f32.k >= k;
    for (int64_t i = span.rows.begin; i < span.rows.end; i += step_m) {
      block.f32.m = std::min(step_m, span.rows.end - i);
      for (int64_t j = span.cols.begin; j < span.cols.end; j += kernel.tile_n) {
        block.f32.n = std::min<int64_t>(kernel.tile_n, span.cols.end - j);
        MoveBlock(kernel, args, {i, j, p}, &block);
        kernel.run(block);
      }
    }
    p += block.f32.k;
  } while (p < k);
  if (kernel.release) kernel.release(&tiles);
}

// Tiles of rows [begin, end) * 16 of A.
void PackRowTiles(const GemmBf16Kernel& kernel, const GemmBf16Args& args,
                  int64_t begin, int64_t end) {
  const GemmF32Args& f32 = args.f32;
  const int64_t size = RowTileSize(kernel, f32.k);
  for (int64_t t = begin; t < end; ++t) {
    const int64_t row = t * kTileRows;
    kernel.pack_a({f32.a + row * f32.lda, f32.lda,
                   std::min<int64_t>(kTileRows, f32.m - row), f32.k},
                  args.scratch + t * size);
  }
}

// Rows by one thread, a block at a time.
void RunRows(const GemmBf16Kernel& kernel, const GemmBf16Args& args,
             const GemmRange& rows) {
  const GemmRowsDone& done = args.f32.done;
  const int64_t step =
      done.run ? EvenBlock(rows.end - rows.begin, kGemmBlockM, kernel.tile_m)
               : std::max<int64_t>(1, rows.end - rows.begin);
  for (int64_t i = rows.begin; i < rows.end; i += step) {
    const GemmRange block{i, std::min(i + step, rows.end)};
    if (kernel.pack_a) {
      PackRowTiles(kernel, args, block.begin / kTileRows,
                   CeilDiv(block.end, kTileRows));
    }
    RunSpan(kernel, args, {block, {0, args.f32.n}});
    if (done.run) done.run(done.with, block.begin, block.end);
  }
}

}  // namespace

int64_t GemmBf16ScratchBytes(const GemmBf16Kernel& kernel, int64_t m,
                             int64_t k) {
  if (kernel.pack_a == nullptr) return 0;
  return CeilDiv(m, kTileRows) * RowTileSize(kernel, k) *
         static_cast<int64_t>(sizeof(uint16_t));
}

int64_t GemmBf16PackedBytes(const GemmBf16Kernel& kernel, int64_t n,
                            int64_t k) {
  return CeilDiv(n, kernel.tile_n) * PanelSize(kernel, k) *
         static_cast<int64_t>(sizeof(uint16_t));
}

void GemmBf16PackB(const GemmBf16Kernel& kernel, const GemmBf16Matrix& b,
                   int64_t n, int64_t k, uint16_t* packed, ThreadPool* pool) {
  const int64_t tile = kernel.tile_n;
  auto pack = [&](int64_t begin, int64_t end) {
    GemmBf16Columns columns{.f32 = nullptr,
                            .bf16 = nullptr,
                            .step_k = b.transposed ? 1 : b.ldb,
                            .step_n = b.transposed ? b.ldb : 1,
                            .cols = 0,
                            .k = k};
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = p * tile * columns.step_n;
      if (b.f32) columns.f32 = b.f32 + first;
      if (b.bf16) columns.bf16 = b.bf16 + first;
      columns.cols = std::min(tile, n - p * tile);
      kernel.pack(columns, packed + p * PanelSize(kernel, k));
    }
  };
  const int64_t panels = CeilDiv(n, tile);
  if (pool == nullptr) {
    pack(0, panels);
  } else {
    pool->ParallelFor(panels, CeilDiv(kMinParallelWork, tile * (k + 1)), pack);
  }
}

void GemmBf16(const GemmBf16Kernel& kernel, const GemmBf16Args& args,
              ThreadPool* pool) {
  const GemmF32Args& f32 = args.f32;
  if (f32.m == 0 || f32.n == 0) return;
  if (pool == nullptr || pool->threads() == 1 ||
      f32.m * f32.n * f32.k < MinParallelWork(kernel)) {
    return RunRows(kernel, args, {0, f32.m});
  }
  if ((kernel.pack_a || f32.done.run) &&
      SplitsTilesByRows(f32.m, 2 * f32.n * f32.k, pool->threads())) {
    return pool->ParallelParts([&](int part) {
      RunRows(kernel, args,
              PartOf(f32.m, kernel.tile_m, part, pool->threads()));
    });
  }
  const int64_t row_tiles = kernel.pack_a ? CeilDiv(f32.m, kTileRows) : 0;
  pool->ParallelFor(row_tiles, CeilDiv(kMinParallelWork, 16 * (f32.k + 1)),
                    [&](int64_t begin, int64_t end) {
                      PackRowTiles(kernel, args, begin, end);
                    });
  const GemmGrid grid =
      SplitGemm(CeilDiv(f32.m, kernel.tile_m), CeilDiv(f32.n, kernel.tile_n),
                pool->threads());
  pool->ParallelParts([&](int part) {
    if (part >= grid.rows * grid.cols) return;
    RunSpan(kernel, args,
            {PartOf(f32.m, kernel.tile_m, part / grid.cols, grid.rows),
             PartOf(f32.n, kernel.tile_n, part % grid.cols, grid.cols)});
  });
  FinishGemmRows(f32.done, f32.m, f32.n, pool);
}

}  // namespace stint
