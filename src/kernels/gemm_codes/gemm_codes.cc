#include "kernels/gemm_codes/gemm_codes.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/gemm_codes/chunk_panels.h"
#include "kernels/gemm_codes/outliers.h"
#include "kernels/gemm_s8/blocks.h"
#include "kernels/gemm_s8/s8_tiles.h"
#include "kernels/geometry/blocking.h"

namespace stint {
namespace {

// Fewer rows take the outliers one by one: columns of A do not pay.
constexpr int64_t kLeastColumnRows = 4;

// Scratch: A as tiles and, where there are outliers, its columns, zero points
// and scales; then for each thread a chunk, its sums, and what outliers add to
// some rows.
struct Scratch {
  Scratch(const GemmCodesKernel& kernel, int64_t m, int64_t k, int64_t outliers)
      : rows(RoundUp(GemmS8ScratchBytes(*kernel.products, m, k), 64)),
        panel(GemmS8PanelBytes(*kernel.products, k)) {
    const int64_t width = ChunkStrips(*kernel.products) * kPlaneStripOutputs;
    panels = RoundUp(width / kernel.products->tile_n * panel, 64);
    sums = RoundUp(width * 4, 64);
    added = outliers > 0 ? kOutlierRows * width * 4 : 0;
    zeros = outliers > 0 ? RoundUp(m, 16) * 8 : 0;
    if (m <= kernel.decoder->few_rows) rows = panels = sums = 0;
    if (outliers > 0 && kernel.decoder->transpose && m >= kLeastColumnRows) {
      columns_pitch = RoundUp(m, 16);
      columns = RoundUp(columns_pitch * std::min(k, outliers), 64);
      used = RoundUp(CeilDiv(k, 64) * 12, 64);
    }
  }
  // What outliers add is there twice: blocks that wait still read the former.
  int64_t PerThread() const { return panels + sums + 2 * added; }

  int64_t rows;               // bytes of A as tiles
  int64_t columns_pitch = 0;  // of a column of A
  int64_t columns = 0;        // of all that have outliers
  int64_t used = 0;           // of the list of those columns
  int64_t zeros = 0;          // of zero points and scales of A, in fp32
  int64_t panel;              // of one panel
  int64_t panels;             // of a chunk
  int64_t sums;               // of the columns of a chunk
  int64_t added;              // by outliers
};

// So often each thread comes for chunks: often enough to share evenly with the
// thread that reads weights on the same CPUs, while walking to a chunk stays
// cheap.
constexpr int64_t kTurns = 8;

struct Span {
  GemmRange rows;
  GemmRange chunks;
  uint8_t* scratch;
};

class Product {
 public:
  Product(const GemmCodesKernel& kernel, const GemmS8Args& args,
          const CodedMatrix& b)
      : kernel_(*kernel.products),
        decoder_(*kernel.decoder),
        args_(args),
        b_(b),
        scratch_(kernel, args.m, args.k,
                 static_cast<int64_t>(b.outliers.size())),
        columns_(args.scratch + scratch_.rows),
        inputs_{reinterpret_cast<uint64_t*>(columns_ + scratch_.columns),
                reinterpret_cast<int32_t*>(columns_ + scratch_.columns) +
                    2 * CeilDiv(args.k, 64)},
        zeros_(reinterpret_cast<float*>(columns_ + scratch_.columns +
                                        scratch_.used)),
        few_(args.m <= decoder_.few_rows),
        strips_(few_ ? 1 : ChunkStrips(kernel_)) {}

  void Run(ThreadPool* pool) {
    const int64_t chunks = CountChunks(b_.blocks, strips_);
    if (!GemmS8Pays(kernel_, args_, pool)) pool = nullptr;
    CopyRows(pool);
    uint8_t* scratch = reinterpret_cast<uint8_t*>(zeros_) + scratch_.zeros;
    if (pool == nullptr) {
      return RunSpan({{0, args_.m}, {0, chunks}, scratch});
    }
    const int64_t row_tiles = few_ ? 1 : CeilDiv(args_.m, kernel_.tile_m);
    const GemmGrid grid = SplitGemm(row_tiles, chunks, pool->threads());
    if (grid.rows == 1) {
      const int64_t step =
          std::max<int64_t>(1, chunks / (kTurns * pool->threads()));
      return pool->ParallelTurns(
          chunks, step, [&](int part, int64_t begin, int64_t end) {
            RunSpan({{0, args_.m},
                     {begin, end},
                     scratch + part * scratch_.PerThread()});
          });
    }
    pool->ParallelParts([&](int part) {
      if (part >= grid.rows * grid.cols) return;
      RunSpan({PartOf(args_.m, kernel_.tile_m, part / grid.cols, grid.rows),
               PartOf(chunks, 1, part % grid.cols, grid.cols),
               scratch + part * scratch_.PerThread()});
    });
  }

 private:
  // Of A, what other than A itself is read.
  void CopyRows(ThreadPool* pool) const {
    if (!few_) TakeGemmS8Rows(kernel_, args_, pool);
    if (scratch_.zeros > 0) {
      float* scales = zeros_ + RoundUp(args_.m, 16);
      for (int64_t i = 0; i < args_.m; ++i) {
        zeros_[i] = args_.zero_a[i * args_.row_step];
        scales[i] = args_.scale_a[i * args_.row_step];
      }
    }
    if (scratch_.columns == 0) return;
    FindUsedInputs(b_.outliers, args_.k, inputs_);
    const auto transpose = [&](int64_t begin, int64_t end) {
      decoder_.transpose({args_.a, args_.lda, args_.m, args_.k, inputs_, begin,
                          end, columns_, scratch_.columns_pitch});
    };
    const int64_t words = CeilDiv(args_.k, 64);
    if (pool == nullptr) return transpose(0, words);
    pool->ParallelFor(words, CeilDiv(kMinParallelWork, 64 * args_.m),
                      transpose);
  }

  void RunSpan(const Span& span) const {
    const int64_t step =
        GemmS8BlockRows(kernel_, span.rows.end - span.rows.begin, args_.k);
    GemmS8Tiles tiles;
    for (int64_t i = span.rows.begin; i < span.rows.end; i += step) {
      const int64_t end = std::min(i + step, span.rows.end);
      RunRows({{i, end}, span.chunks, span.scratch}, &tiles);
    }
    if (kernel_.release) kernel_.release(&tiles);
  }

  // All chunks of a span for rows that stay in L2.
  void RunRows(const Span& span, GemmS8Tiles* tiles) const {
    const ChunkPanels panels{
        &kernel_, scratch_.panel, reinterpret_cast<int8_t*>(span.scratch),
        reinterpret_cast<int32_t*>(span.scratch + scratch_.panels)};
    float* added = reinterpret_cast<float*>(span.scratch + scratch_.panels +
                                            scratch_.sums);
    float* added_before = added + scratch_.added / 4;
    ChunkCursor cursor(b_.blocks, strips_);
    CodedChunk chunk;
    for (int64_t c = 0; c <= span.chunks.begin; ++c) cursor.Next(&chunk);
    OutlierCursor outliers(b_.outliers, chunk.output);
    for (int64_t c = span.chunks.begin; c < span.chunks.end; ++c) {
      const auto added_here = outliers.Until(chunk.output + chunk.outputs);
      if (few_) {
        MultiplyFew(chunk, added_here, added);
      } else {
        DecodeChunk(decoder_, chunk, panels);
        const int64_t step = added_here.empty() ? args_.m : kOutlierRows;
        for (int64_t i = span.rows.begin; i < span.rows.end; i += step) {
          const GemmRange rows{i, std::min(i + step, span.rows.end)};
          const float* r = AddOutliers(chunk, rows, added_here, added);
          Multiply(chunk, panels, rows, r, tiles);
          std::swap(added, added_before);
        }
      }
      cursor.Next(&chunk);
    }
  }

  void MultiplyFew(const CodedChunk& chunk,
                   std::span<const CodedOutlier> outliers, float* added) const {
    GemmS8Block block = GemmS8BlockAt(kernel_, args_, 0, chunk.output);
    block.a = args_.a;
    block.lda = args_.lda;
    block.m = args_.m;
    block.n = chunk.outputs;
    if (AddOutliers(chunk, {0, args_.m}, outliers, added)) {
      block.residual = added;
      block.ldr = ChunkWidth();
    }
    decoder_.multiply_few(block, chunk.strips[0]);
  }

  void Multiply(const CodedChunk& chunk, const ChunkPanels& panels,
                const GemmRange& rows, const float* added,
                GemmS8Tiles* tiles) const {
    for (int64_t at = 0; at < chunk.outputs; at += kernel_.tile_n) {
      GemmS8Block block =
          GemmS8BlockAt(kernel_, args_, rows.begin, chunk.output + at);
      block.m = rows.end - rows.begin;
      block.n = std::min<int64_t>(kernel_.tile_n, chunk.outputs - at);
      block.b = panels.data + at / kernel_.tile_n * scratch_.panel;
      block.sums = panels.sums + at;
      block.tiles = tiles;
      if (added != nullptr) {
        block.residual = added + at;
        block.ldr = ChunkWidth();
      }
      kernel_.run(block);
    }
  }

  int64_t ChunkWidth() const { return strips_ * kPlaneStripOutputs; }

  // The residual with what outliers add, in `to`; null where there are none.
  const float* AddOutliers(const CodedChunk& chunk, const GemmRange& rows,
                           std::span<const CodedOutlier> outliers,
                           float* to) const {
    if (outliers.empty()) return nullptr;
    OutlierBlock block{};
    block.a = args_.a + rows.begin * args_.lda;
    block.lda = args_.lda;
    block.inputs = inputs_;
    block.columns = columns_ + rows.begin;
    block.columns_pitch = scratch_.columns_pitch;
    block.zeros = zeros_ + rows.begin;
    block.scales = zeros_ + RoundUp(args_.m, 16) + rows.begin;
    block.rows = rows.end - rows.begin;
    block.outliers = outliers;
    block.output = chunk.output;
    block.outputs = chunk.outputs;
    if (args_.residual) {
      block.residual = args_.residual + rows.begin * args_.ldr + chunk.output;
    }
    block.ldr = args_.ldr;
    block.to = to;
    block.ldt = ChunkWidth();
    if (scratch_.columns == 0) {
      AddOutliersByRow(block);
    } else {
      decoder_.add_outliers(block);
    }
    return to;
  }

  const GemmS8Kernel& kernel_;
  const CodeDecoder& decoder_;
  const GemmS8Args& args_;
  const CodedMatrix& b_;
  const Scratch scratch_;
  uint8_t* columns_;
  const UsedInputs inputs_;
  float* zeros_;  // and then scales
  const bool few_;
  const int strips_;
};

}  // namespace

GemmCodesKernel PickGemmCodes(Isa cap) {
  return {&PickGemmS8(cap), &PickCodeDecoder(cap)};
}

int64_t GemmCodesScratchBytes(const GemmCodesKernel& kernel, int64_t m,
                              int64_t k, int64_t outliers, int threads) {
  const Scratch scratch(kernel, m, k, outliers);
  return scratch.rows + scratch.columns + scratch.used + scratch.zeros +
         threads * scratch.PerThread();
}

void GemmCodes(const GemmCodesKernel& kernel, const GemmS8Args& args,
               const CodedMatrix& b, ThreadPool* pool) {
  if (args.m == 0 || args.n == 0) return;
  Product(kernel, args, b).Run(pool);
}

}  // namespace stint
