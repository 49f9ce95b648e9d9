#include "kernels/eltwise_f32/eltwise_f32.h"

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"

namespace stint {
namespace {

// 8K floats take about 2 us, ten times what a spinning worker takes to join.
constexpr int64_t kGrain = 8 * 1024;
// Threads meet at whole cache lines.
constexpr int64_t kLine = 16;

}  // namespace

void UnaryF32(UnaryF32Fn run, const UnaryF32Args& args, ThreadPool* pool) {
  const int64_t lines = CeilDiv(args.count, kLine);
  pool->ParallelFor(lines, kGrain / kLine, [&](int64_t begin, int64_t end) {
    UnaryF32Args part = args;
    part.x += begin * kLine;
    part.y += begin * kLine;
    part.count = (end == lines ? args.count : end * kLine) - begin * kLine;
    run(part);
  });
}

void BinaryF32(BinaryF32Fn run, const BinaryF32Args& args, ThreadPool* pool) {
  if (args.rows == 0 || args.cols == 0) return;
  if (args.rows >= pool->threads()) {
    const int64_t grain = CeilDiv(kGrain, args.cols);
    pool->ParallelFor(args.rows, grain, [&](int64_t begin, int64_t end) {
      BinaryF32Args part = args;
      part.a.data += begin * args.a.row_stride;
      part.b.data += begin * args.b.row_stride;
      part.out += begin * args.row_stride;
      part.rows = end - begin;
      run(part);
    });
    return;
  }
  const int64_t lines = CeilDiv(args.cols, kLine);
  const int64_t grain = CeilDiv(kGrain, kLine * args.rows);
  pool->ParallelFor(lines, grain, [&](int64_t begin, int64_t end) {
    BinaryF32Args part = args;
    part.a.data += begin * kLine * args.a.col_stride;
    part.b.data += begin * kLine * args.b.col_stride;
    part.out += begin * kLine;
    part.cols = (end == lines ? args.cols : end * kLine) - begin * kLine;
    run(part);
  });
}

}  // namespace stint
