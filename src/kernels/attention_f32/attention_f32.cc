#include "kernels/attention_f32/attention_f32.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/geometry/blocking.h"

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

// Threads that take rows share what is packed of all heads of all texts; each
// has its own scores.
class RowSplit {
 public:
  RowSplit(const AttentionF32Kernel& kernel, const AttentionF32Args& args,
           int threads)
      : kernel_(kernel),
        args_(args),
        threads_(threads),
        at_(LayOut(kernel, args)),
        scores_(args.scratch + args.batch * args.heads * at_.scores) {}

  static int64_t Floats(const Scratch& at, const AttentionF32Args& args,
                        int threads) {
    return args.batch * args.heads * at.scores +
           threads * (at.floats - at.scores);
  }

  // Keys and values in the rows of a part: those it has in its cache.
  void Pack(int part) const {
    ForTexts(part, [&](int64_t text, int64_t begin, int64_t end) {
      // A step of keys is of the part in which it begins.
      begin = std::min(RoundUp(begin, kernel_.step_k), args_.length_k);
      end = std::min(RoundUp(end, kernel_.step_k), args_.length_k);
      if (begin >= end) return;
      for (int64_t h = 0; h < args_.heads; ++h) {
        kernel_.pack_keys(HeadAt(text, h, part).head, begin, end);
      }
    });
  }

  // All heads of the rows of a part, after all parts are packed.
  void Run(int part) const {
    const int64_t step = BlockRows(kernel_, args_.length_k);
    ForTexts(part, [&](int64_t text, int64_t begin, int64_t end) {
      for (int64_t h = 0; h < args_.heads; ++h) {
        const AttentionF32Rows head = HeadAt(text, h, part);
        for (int64_t i = begin; i < end; i += step) {
          kernel_.run(BlockAt(head, i, std::min(step, end - i)));
        }
      }
    });
  }

 private:
  AttentionF32Rows HeadAt(int64_t text, int64_t head, int part) const {
    const int64_t index = text * args_.heads + head;
    AttentionF32Rows rows =
        MakeHead(kernel_, args_, index, args_.scratch + index * at_.scores);
    rows.scores = scores_ + part * (at_.floats - at_.scores);
    return rows;
  }

  // body(text, begin, end) for the rows of the part, text by text.
  template <class Body>
  void ForTexts(int part, const Body& body) const {
    const GemmRange rows =
        PartOf(args_.batch * args_.length_q, kProductRows, part, threads_);
    for (int64_t row = rows.begin; row < rows.end;) {
      const int64_t text = row / args_.length_q;
      const int64_t first = text * args_.length_q;
      const int64_t end = std::min(rows.end - first, args_.length_q);
      body(text, row - first, end);
      row = first + end;
    }
  }

  const AttentionF32Kernel& kernel_;
  const AttentionF32Args& args_;
  const int threads_;
  const Scratch at_;
  float* const scores_;
};

bool SplitsByRows(const AttentionF32Kernel& kernel,
                  const AttentionF32Args& args, int threads) {
  return args.by_rows && kernel.pack_keys != nullptr && threads > 1 &&
         args.length_q == args.length_k &&
         SplitsTilesByRows(args.batch * args.length_q, 0, threads);
}

}  // namespace

int64_t AttentionF32ScratchBytes(const AttentionF32Kernel& kernel,
                                 const AttentionF32Args& args, int threads) {
  const Scratch at = LayOut(kernel, args);
  const int64_t floats = SplitsByRows(kernel, args, threads)
                             ? RowSplit::Floats(at, args, threads)
                             : threads * at.floats;
  return floats * static_cast<int64_t>(sizeof(float));
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
  if (SplitsByRows(kernel, args, pool->threads())) {
    const RowSplit split(kernel, args, pool->threads());
    pool->ParallelParts([&](int part) { split.Pack(part); });
    return pool->ParallelParts([&](int part) { split.Run(part); });
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
