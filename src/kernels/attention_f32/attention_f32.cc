#include "kernels/attention_f32/attention_f32.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/gemm_f32/blocking.h"

namespace stint {
namespace {

// 16 KB of scores beside a panel of keys or values in L1.
constexpr int64_t kScoreFloats = 4 * 1024;
constexpr int64_t kVectorFloats = 16;  // the widest vector
// Rows that the tiles of products take at a time.
constexpr int64_t kProductRows = 32;

// One vector more than needed: rows a power of two apart would share few sets
// of L1.
int64_t ScoreStride(int64_t length) {
  return RoundUp(length, kVectorFloats) + kVectorFloats;
}

int64_t BlockRows(const AttentionF32Kernel& kernel, int64_t length) {
  const int64_t rows = kScoreFloats / ScoreStride(length);
  return std::max<int64_t>(1, rows / kernel.tile_m) * kernel.tile_m;
}

// Where one thread keeps the operands of its head, in floats from its start.
struct Scratch {
  int64_t values;
  int64_t scores;
  int64_t floats;
};

Scratch LayOut(const AttentionF32Kernel& kernel, const AttentionF32Args& args) {
  const int64_t keys = RoundUp(args.length_k, kernel.tile_n) * args.head_size;
  const int64_t values = RoundUp(args.head_size, kernel.tile_n) *
                         RoundUp(args.length_k, kernel.step_k);
  Scratch at;
  at.values = RoundUp(keys, kVectorFloats);
  at.scores = at.values + RoundUp(values, kVectorFloats);
  at.floats =
      at.scores + BlockRows(kernel, args.length_k) * ScoreStride(args.length_k);
  return at;
}

template <class T>
T* HeadOf(const AttentionF32View<T>& view, int64_t batch, int64_t head) {
  return view.data + batch * view.batch_stride + head * view.head_stride;
}

// Everything but the rows of one head.
AttentionF32Rows MakeHead(const AttentionF32Kernel& kernel,
                          const AttentionF32Args& args, int64_t index,
                          float* scratch) {
  const int64_t b = index / args.heads;
  const int64_t h = index % args.heads;
  const Scratch at = LayOut(kernel, args);
  return {.head = {.length = args.length_k,
                   .size = args.head_size,
                   .k = HeadOf(args.k, b, h),
                   .ldk = args.k.row_stride,
                   .v = HeadOf(args.v, b, h),
                   .ldv = args.v.row_stride,
                   .keys = scratch,
                   .values = scratch + at.values},
          .m = args.length_q,
          .q = HeadOf(args.q, b, h),
          .ldq = args.q.row_stride,
          .scale = args.scale,
          .mask = args.mask.data ? HeadOf(args.mask, b, h) : nullptr,
          .ldm = args.mask.row_stride,
          .out = HeadOf(args.out, b, h),
          .ldo = args.out.row_stride,
          .scores = scratch + at.scores,
          .lds = ScoreStride(args.length_k)};
}

AttentionF32Rows BlockAt(const AttentionF32Rows& head, int64_t row, int64_t m) {
  AttentionF32Rows rows = head;
  rows.m = m;
  rows.q += row * rows.ldq;
  rows.out += row * rows.ldo;
  if (rows.mask != nullptr) rows.mask += row * rows.ldm;
  return rows;
}

// Blocks [range.begin, range.end) of all blocks of rows of all heads.
void RunBlocks(const AttentionF32Kernel& kernel, const AttentionF32Args& args,
               const GemmRange& range, float* scratch) {
  const int64_t step = BlockRows(kernel, args.length_k);
  const int64_t blocks = CeilDiv(args.length_q, step);
  AttentionF32Rows head;
  for (int64_t i = range.begin; i < range.end; ++i) {
    const int64_t row = i % blocks * step;
    if (row == 0 || i == range.begin) {
      head = MakeHead(kernel, args, i / blocks, scratch);
      kernel.pack(head.head);
    }
    kernel.run(BlockAt(head, row, std::min(step, args.length_q - row)));
  }
}

// Rows [range.begin, range.end) of the rows of all texts, every head of each.
void RunRows(const AttentionF32Kernel& kernel, const AttentionF32Args& args,
             const GemmRange& range, float* scratch) {
  const int64_t step = BlockRows(kernel, args.length_k);
  for (int64_t first = range.begin; first < range.end;) {
    const int64_t text = first / args.length_q;
    const int64_t row = first % args.length_q;
    const int64_t count = std::min(range.end - first, args.length_q - row);
    for (int64_t h = 0; h < args.heads; ++h) {
      const AttentionF32Rows head =
          MakeHead(kernel, args, text * args.heads + h, scratch);
      kernel.pack(head.head);
      for (int64_t i = 0; i < count; i += step) {
        kernel.run(BlockAt(head, row + i, std::min(step, count - i)));
      }
    }
    first += count;
  }
}

}  // namespace

int64_t AttentionF32ScratchBytes(const AttentionF32Kernel& kernel,
                                 const AttentionF32Args& args, int threads) {
  return threads * LayOut(kernel, args).floats *
         static_cast<int64_t>(sizeof(float));
}

void AttentionF32(const AttentionF32Kernel& kernel,
                  const AttentionF32Args& args, ThreadPool* pool) {
  const int64_t step = BlockRows(kernel, args.length_k);
  const int64_t blocks = args.batch * args.heads * CeilDiv(args.length_q, step);
  const int64_t work =
      args.batch * args.heads * args.length_q * args.length_k * args.head_size;
  if (pool == nullptr || pool->threads() == 1 || work < kMinParallelWork) {
    return RunBlocks(kernel, args, {0, blocks}, args.scratch);
  }
  const int64_t slice = LayOut(kernel, args).floats;
  const int64_t rows = args.batch * args.length_q;
  if (args.by_rows && SplitsTilesByRows(rows, 0, pool->threads())) {
    return pool->ParallelParts([&](int part) {
      RunRows(kernel, args, PartOf(rows, kProductRows, part, pool->threads()),
              args.scratch + part * slice);
    });
  }
  // Keys and values of a head are packed once per turn.
  const int64_t head = CeilDiv(args.length_q, step);
  const int64_t fair = CeilDiv(blocks, pool->threads());
  pool->ParallelTurns(
      blocks, std::min(head, fair), [&](int part, int64_t begin, int64_t end) {
        RunBlocks(kernel, args, {begin, end}, args.scratch + part * slice);
      });
}

}  // namespace stint
