#include "kernels/gemm_s8/gemm_s8.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/gemm_s8/blocks.h"
#include "kernels/gemm_s8/s8_tiles.h"
#include "kernels/geometry/blocking.h"

namespace stint {
namespace {

// Sums of columns follow the panels.
int64_t SumsOffset(const GemmS8Kernel& kernel, int64_t n, int64_t k) {
  return RoundUp(CeilDiv(n, kernel.tile_n) * GemmS8PanelBytes(kernel, k), 64);
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
  std::fill_n(panel.data, GemmS8PanelBytes(kernel, k), int8_t{0});
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

struct Span2d {
  GemmRange rows;
  GemmRange cols;
};

void RunSpan(const GemmS8Kernel& kernel, const GemmS8Args& args,
             const Span2d& span) {
  const int64_t step_m =
      GemmS8BlockRows(kernel, span.rows.end - span.rows.begin, args.k);
  const int64_t panel = GemmS8PanelBytes(kernel, args.k);
  const auto* sums = reinterpret_cast<const int32_t*>(
      args.b + SumsOffset(kernel, args.n, args.k));
  GemmS8Tiles tiles;
  for (int64_t i = span.rows.begin; i < span.rows.end; i += step_m) {
    for (int64_t j = span.cols.begin; j < span.cols.end; j += kernel.tile_n) {
      GemmS8Block block = GemmS8BlockAt(kernel, args, i, j);
      block.m = std::min(step_m, span.rows.end - i);
      block.n = std::min<int64_t>(kernel.tile_n, span.cols.end - j);
      block.b = args.b + j / kernel.tile_n * panel;
      block.b_next = block.b + panel;
      block.b_next_bytes = panel;
      block.sums = sums + j;
      block.tiles = &tiles;
      kernel.run(block);
    }
  }
  if (kernel.release) kernel.release(&tiles);
}

// Rows by one thread, a block at a time.
void RunRows(const GemmS8Kernel& kernel, const GemmS8Args& args,
             const GemmRange& rows) {
  const int64_t count = rows.end - rows.begin;
  const int64_t step = args.done.run ? GemmS8BlockRows(kernel, count, args.k)
                                     : std::max<int64_t>(1, count);
  for (int64_t i = rows.begin; i < rows.end; i += step) {
    const GemmRange block{i, std::min(i + step, rows.end)};
    TakeGemmS8Rows(kernel, args, block);
    RunSpan(kernel, args, {block, {0, args.n}});
    if (args.done.run) args.done.run(args.done.with, block.begin, block.end);
  }
}

}  // namespace

int64_t GemmS8ScratchBytes(const GemmS8Kernel& kernel, int64_t m, int64_t k) {
  return kernel.a_tiles ? RoundUp(m, kTileRows) * RoundUp(k, kernel.step_k) : 0;
}

int64_t GemmS8PackedBytes(const GemmS8Kernel& kernel, int64_t n, int64_t k) {
  return SumsOffset(kernel, n, k) +
         RoundUp(n, kernel.tile_n) * static_cast<int64_t>(sizeof(int32_t));
}

void GemmS8PackB(const GemmS8Kernel& kernel, const GemmS8Matrix& b, int64_t n,
                 int64_t k, int8_t* packed, ThreadPool* pool) {
  const int64_t tile = kernel.tile_n;
  const int64_t bytes = GemmS8PanelBytes(kernel, k);
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
  if (!GemmS8Pays(kernel, args, pool)) {
    return RunRows(kernel, args, {0, args.m});
  }
  if ((kernel.a_tiles || args.done.run) &&
      SplitsTilesByRows(args.m, args.n * args.k, pool->threads())) {
    return pool->ParallelParts([&](int part) {
      RunRows(kernel, args,
              PartOf(args.m, kernel.tile_m, part, pool->threads()));
    });
  }
  TakeGemmS8Rows(kernel, args, pool);
  const GemmGrid grid =
      SplitGemm(CeilDiv(args.m, kernel.tile_m), CeilDiv(args.n, kernel.tile_n),
                pool->threads());
  pool->ParallelParts([&](int part) {
    if (part >= grid.rows * grid.cols) return;
    RunSpan(kernel, args,
            {PartOf(args.m, kernel.tile_m, part / grid.cols, grid.rows),
             PartOf(args.n, kernel.tile_n, part % grid.cols, grid.cols)});
  });
  FinishGemmRows(args.done, args.m, args.n, pool);
}

void QuantizeRows(const GemmS8Kernel& kernel, const QuantizeRowsArgs& args,
                  ThreadPool* pool) {
  auto quantize = [&](int64_t begin, int64_t end) {
    kernel.quantize(RowsOf(args, {begin, end}));
  };
  if (pool == nullptr) {
    quantize(0, args.m);
  } else {
    pool->ParallelFor(args.m, CeilDiv(kMinParallelWork, args.k + 1), quantize);
  }
}

}  // namespace stint
