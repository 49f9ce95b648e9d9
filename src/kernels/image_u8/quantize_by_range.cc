#include "kernels/image_u8/quantize_by_range.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"
#include "kernels/gemm_s8/row_range.h"

namespace stint {
namespace {

// Of a piece: with its bytes it stays in L1.
constexpr int64_t kPieceFloats = 2048;
// Pieces for a thread, below which a second one costs more than it saves.
constexpr int64_t kGrainPieces = 4;

// An image block by block, each cut into pieces of neighboring pixels.
struct Pieces {
  explicit Pieces(const QuantizeByRangeArgs& args)
      : args(args),
        blocks(CeilDiv(args.channels, args.block)),
        pixels(std::max<int64_t>(1, kPieceFloats / args.block)),
        per_block(CeilDiv(args.plane, pixels)) {}

  int64_t per_image() const { return blocks * per_block; }
  int64_t count() const { return args.batch * per_image(); }

  const QuantizeByRangeArgs& args;
  int64_t blocks;
  int64_t pixels;  // of a piece
  int64_t per_block;
};

struct Piece {
  Piece(const Pieces& pieces, int64_t number)
      : image(number / pieces.per_image()),
        block(number / pieces.per_block % pieces.blocks),
        first(number % pieces.per_block * pieces.pixels),
        pixels(std::min(pieces.pixels, pieces.args.plane - first)) {}

  int64_t image;
  int64_t block;
  int64_t first;  // pixel
  int64_t pixels;
};

// The piece's floats, in `copy` where there is a gate.
const float* Load(const Pieces& pieces, const Piece& piece, float* copy) {
  const QuantizeByRangeArgs& args = pieces.args;
  const int64_t block = piece.image * pieces.blocks + piece.block;
  const float* x = args.x + (block * args.plane + piece.first) * args.block;
  if (args.gate == nullptr) return x;
  const float* gate = args.gate + block * args.block;
  for (int64_t p = 0; p < piece.pixels; ++p) {
    for (int64_t c = 0; c < args.block; ++c) {
      copy[p * args.block + c] = x[p * args.block + c] * gate[c];
    }
  }
  return copy;
}

// Bytes of a piece to the channels of its pixels.
void Spread(const Pieces& pieces, const Piece& piece, const uint8_t* bytes) {
  const QuantizeByRangeArgs& args = pieces.args;
  const int64_t channel = piece.block * args.block;
  const int64_t count = std::min(args.block, args.channels - channel);
  uint8_t* y = args.y +
               (piece.image * args.plane + piece.first) * args.channels +
               channel;
  for (int64_t p = 0; p < piece.pixels; ++p, y += args.channels) {
    if (count == 16) {
      std::memcpy(y, bytes + p * 16, 16);
    } else {
      std::copy_n(bytes + p * args.block, count, y);
    }
  }
}

}  // namespace

int64_t QuantizeByRangeScratchBytes(const QuantizeByRangeArgs& args) {
  return Pieces(args).count() * 2 * static_cast<int64_t>(sizeof(float));
}

void QuantizeByRange(const ImageU8Kernel& kernel,
                     const QuantizeByRangeArgs& args, ThreadPool* pool) {
  const Pieces pieces(args);
  float* ranges = args.scratch;  // [pieces, 2]
  pool->ParallelFor(
      pieces.count(), kGrainPieces, [&](int64_t begin, int64_t end) {
        float copy[kPieceFloats];
        for (int64_t i = begin; i < end; ++i) {
          const Piece piece(pieces, i);
          ranges[2 * i] = ranges[2 * i + 1] = 0;
          kernel.range(Load(pieces, piece, copy), piece.pixels * args.block,
                       &ranges[2 * i], &ranges[2 * i + 1]);
        }
      });
  // Of each image, what its pieces have; then its inverse scale, for them.
  for (int64_t n = 0; n < args.batch; ++n) {
    float* of = ranges + n * pieces.per_image() * 2;
    float lo = 0, hi = 0;
    for (int64_t i = 0; i < pieces.per_image(); ++i) {
      lo = std::min(lo, of[2 * i]);
      hi = std::max(hi, of[2 * i + 1]);
    }
    const RowRange range = MakeRowRange(lo, hi, RowQuantization::kAsymmetric);
    args.scale[n] = range.scale;
    args.zero[n] = static_cast<uint8_t>(range.zero);
    of[0] = range.inverse;
  }
  pool->ParallelFor(
      pieces.count(), kGrainPieces, [&](int64_t begin, int64_t end) {
        float copy[kPieceFloats];
        uint8_t bytes[kPieceFloats];
        for (int64_t i = begin; i < end; ++i) {
          const Piece piece(pieces, i);
          const float inverse = ranges[piece.image * pieces.per_image() * 2];
          kernel.quantize(Load(pieces, piece, copy), piece.pixels * args.block,
                          {inverse, 0, args.zero[piece.image]}, bytes);
          Spread(pieces, piece, bytes);
        }
      });
}

}  // namespace stint
