#include "kernels/gemm_f32/gemm_f32.h"

#include <algorithm>
#include <charconv>

#include "core/base/checked_math.h"
#include "kernels/geometry/blocking.h"

namespace stint {
namespace {

void CopyPanel(const GemmF32Matrix& b, int64_t first, int64_t cols, int64_t k,
               int64_t tile_n, float* panel) {
  for (int64_t p = 0; p < k; ++p) {
    float* row = panel + p * tile_n;
    std::copy_n(b.data + p * b.ldb + first, cols, row);
    std::fill(row + cols, row + tile_n, 0.0f);
  }
}

// A few rows of the panel at a time, which stay in L1 while columns of B, a
// cache line of each, are spread over them.
void TransposePanel(const GemmF32Matrix& b, int64_t first, int64_t cols,
                    int64_t k, int64_t tile_n, float* panel) {
  constexpr int64_t kRows = 16;
  for (int64_t begin = 0; begin < k; begin += kRows) {
    const int64_t rows = std::min(kRows, k - begin);
    float* to = panel + begin * tile_n;
    for (int64_t j = 0; j < cols; ++j) {
      const float* from = b.data + (first + j) * b.ldb + begin;
      for (int64_t p = 0; p < rows; ++p) to[p * tile_n + j] = from[p];
    }
    for (int64_t p = 0; p < rows; ++p) {
      std::fill(to + p * tile_n + cols, to + (p + 1) * tile_n, 0.0f);
    }
  }
}

constexpr std::string_view kLayoutPrefix = "gemm_f32/panels";

GemmF32Block MakeBlock(const GemmF32Args& args) {
  return {.a = args.a,
          .lda = args.lda,
          .b = args.b,
          .ldb = 0,
          .b_next = nullptr,
          .c = args.c,
          .ldc = args.ldc,
          .m = args.m,
          .n = args.n,
          .k = args.k,
          .accumulate = false,
          .finish = true,
          .alpha = args.alpha,
          .bias_m = args.bias_m,
          .bias_n = args.bias_n,
          .residual = args.residual,
          .ldr = args.ldr,
          .act = args.act};
}

struct Span2d {
  GemmRange rows;
  GemmRange cols;
};

// Rows and columns of C by one thread: a block of A stays in L2 while panels of
// B pass.
void RunSpan(const GemmF32Kernel& kernel, const GemmF32Args& args,
             const Span2d& span) {
  const int64_t step_k = EvenBlock(args.k, kGemmBlockK, 1);
  const int64_t step_m =
      EvenBlock(span.rows.end - span.rows.begin, kGemmBlockM, kernel.tile_m);
  GemmF32Block block = MakeBlock(args);
  block.ldb = kernel.tile_n;
  int64_t p = 0;
  do {
    block.k = std::min(step_k, args.k - p);
    block.accumulate = p > 0;
    block.finish = p + block.k >= args.k;
    for (int64_t i = span.rows.begin; i < span.rows.end; i += step_m) {
      block.m = std::min(step_m, span.rows.end - i);
      block.a = args.a + i * args.lda + p;
      if (args.bias_m) block.bias_m = args.bias_m + i;
      for (int64_t j = span.cols.begin; j < span.cols.end; j += kernel.tile_n) {
        block.n = std::min<int64_t>(kernel.tile_n, span.cols.end - j);
        block.b = args.b + j * args.k + p * kernel.tile_n;
        block.b_next = block.b + kernel.tile_n * args.k;
        block.c = args.c + i * args.ldc + j;
        if (args.bias_n) block.bias_n = args.bias_n + j;
        if (args.residual) block.residual = args.residual + i * args.ldr + j;
        kernel.run(block);
      }
    }
    p += block.k;
  } while (p < args.k);
}

// Rows by one thread, a block at a time.
void RunRows(const GemmF32Kernel& kernel, const GemmF32Args& args,
             const GemmRange& rows) {
  const int64_t step =
      EvenBlock(rows.end - rows.begin, kGemmBlockM, kernel.tile_m);
  for (int64_t i = rows.begin; i < rows.end; i += step) {
    const GemmRange block{i, std::min(i + step, rows.end)};
    RunSpan(kernel, args, {block, {0, args.n}});
    if (args.done.run) args.done.run(args.done.with, block.begin, block.end);
  }
}

}  // namespace

int64_t GemmF32PackedBytes(const GemmF32Kernel& kernel, int64_t n, int64_t k) {
  return RoundUp(n, kernel.tile_n) * k * static_cast<int64_t>(sizeof(float));
}

void GemmF32PackB(const GemmF32Kernel& kernel, const GemmF32Matrix& b,
                  int64_t n, int64_t k, float* packed, ThreadPool* pool) {
  const int64_t tile = kernel.tile_n;
  auto pack = [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const auto fill = b.transposed ? TransposePanel : CopyPanel;
      fill(b, p * tile, std::min(tile, n - p * tile), k, tile,
           packed + p * tile * k);
    }
  };
  const int64_t panels = CeilDiv(n, tile);
  if (pool == nullptr) {
    pack(0, panels);
  } else {
    pool->ParallelFor(panels, CeilDiv(kMinParallelWork, tile * (k + 1)), pack);
  }
}

std::string GemmF32Layout(const GemmF32Kernel& kernel) {
  return std::string(kLayoutPrefix) + std::to_string(kernel.tile_n);
}

std::optional<int64_t> ParseGemmF32Layout(std::string_view layout) {
  if (!layout.starts_with(kLayoutPrefix)) return std::nullopt;
  layout.remove_prefix(kLayoutPrefix.size());
  int64_t tile_n = 0;
  const auto [end, error] =
      std::from_chars(layout.data(), layout.data() + layout.size(), tile_n);
  constexpr int64_t kWidest = 1024;
  if (error != std::errc() || end != layout.data() + layout.size() ||
      tile_n <= 0 || tile_n > kWidest) {
    return std::nullopt;
  }
  return tile_n;
}

void GemmF32UnpackB(int64_t tile_n, int64_t n, int64_t k, const float* packed,
                    float* b) {
  for (int64_t first = 0; first < n; first += tile_n) {
    const int64_t cols = std::min(tile_n, n - first);
    for (int64_t p = 0; p < k; ++p, packed += tile_n) {
      std::copy_n(packed, cols, b + p * n + first);
    }
  }
}

void GemmF32(const GemmF32Kernel& kernel, const GemmF32Args& args,
             ThreadPool* pool) {
  if (args.m == 0 || args.n == 0) return;
  if (pool == nullptr || pool->threads() == 1 ||
      args.m * args.n * args.k < kMinParallelWork) {
    return args.done.run ? RunRows(kernel, args, {0, args.m})
                         : RunSpan(kernel, args, {{0, args.m}, {0, args.n}});
  }
  if (args.done.run &&
      SplitsTilesByRows(args.m, 4 * args.n * args.k, pool->threads())) {
    return pool->ParallelParts([&](int part) {
      RunRows(kernel, args,
              PartOf(args.m, kernel.tile_m, part, pool->threads()));
    });
  }
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

void FinishGemmRows(const GemmRowsDone& done, int64_t m, int64_t n,
                    ThreadPool* pool) {
  if (done.run == nullptr || m == 0) return;
  if (pool == nullptr) return done.run(done.with, 0, m);
  pool->ParallelFor(
      m, CeilDiv(kMinFinishFloats, n + 1),
      [&](int64_t begin, int64_t end) { done.run(done.with, begin, end); });
}

int64_t GemmF32BatchScratchBytes(const GemmF32Kernel& kernel, int64_t n,
                                 int64_t k, int threads) {
  return threads * RoundUp(GemmF32PackedBytes(kernel, n, k), 64);
}

void GemmF32Batch(const GemmF32Kernel& kernel, const GemmF32BatchArgs& args,
                  ThreadPool* pool) {
  const int64_t n = args.one.n;
  const int64_t k = args.one.k;
  const int64_t slice = GemmF32BatchScratchBytes(kernel, n, k, 1) / 4;
  auto run = [&](int64_t index, float* packed, ThreadPool* inner) {
    GemmF32Matrix b = args.b;
    b.data += index * args.b_stride;
    GemmF32PackB(kernel, b, n, k, packed, inner);
    GemmF32Args one = args.one;
    one.a += index * args.a_stride;
    one.c += index * args.c_stride;
    one.b = packed;
    GemmF32(kernel, one, inner);
  };
  const int threads = pool->threads();
  if (args.batch < threads || threads == 1) {
    for (int64_t i = 0; i < args.batch; ++i) run(i, args.scratch, pool);
    return;
  }
  pool->ParallelParts([&](int part) {
    const GemmRange range = PartOf(args.batch, 1, part, threads);
    for (int64_t i = range.begin; i < range.end; ++i) {
      run(i, args.scratch + part * slice, nullptr);
    }
  });
}

}  // namespace stint
