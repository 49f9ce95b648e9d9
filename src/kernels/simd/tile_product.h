#pragma once
// Up to two row tiles of A times two column tiles of B on the AMX registers: C
// in tiles 0 to 3, A in 4 and 5, B in 6 and 7. One source for the instructions
// and for their emulation (class Tiles). A class without tile registers
// multiplies as a whole (dot_tiles.h).

#include <cstdint>

#include "kernels/simd/amx_tiles.h"

namespace stint {

enum class TileDot { kBf16, kU8S8 };

// Values of k that one step multiplies.
constexpr int64_t TileStepK(TileDot dot) {
  return dot == TileDot::kBf16 ? 32 : 64;
}

struct TileProduct {
  const uint8_t* a[2];      // first row of each row tile
  int64_t rows;             // of each row tile
  int64_t a_stride;         // bytes between rows
  const int64_t* a_offset;  // [steps], bytes; null: tiles follow each other
  const uint8_t* b;         // [steps][2], contiguous tiles
  int64_t steps;
  const uint8_t* far;  // needed soon, fetched into L2 meanwhile
  int64_t far_lines;   // cache lines of it at each step
};

// C as it leaves the registers: tile 2 * r + c has row tile r, column tile c.
template <class T>
struct alignas(64) TileSums {
  T tile[4][16][16];
};

// Has no registers to be shaped, and multiplies in its own way.
template <class Tiles>
concept WholeTiles = requires(const TileProduct& t, TileSums<float>* sums) {
  Tiles::template Multiply<TileDot::kBf16, 1, 1>(t, sums);
};

// What the tile registers of a thread are shaped for.
struct TileShape {
  int rows = 0;  // of A and C; 0: released
};

// Loads the configuration unless it is there already: it takes as long as
// several products.
template <class Tiles>
STINT_INLINE void ShapeTiles(int rows, TileShape* shape) {
  if constexpr (!WholeTiles<Tiles>) {
    if (shape->rows == rows) return;
    AmxTileConfig config;
    for (int t = 0; t < 8; ++t) {
      config.column_bytes[t] = kTileRowBytes;
      config.rows[t] = static_cast<uint8_t>(t < 6 ? rows : kTileRows);
    }
    Tiles::Configure(config);
    shape->rows = rows;
  }
}

template <class Tiles>
STINT_INLINE void ReleaseTiles(TileShape* shape) {
  if constexpr (!WholeTiles<Tiles>) {
    if (shape->rows != 0) Tiles::Release();
    shape->rows = 0;
  }
}

template <class Tiles, TileDot kDot, int kC, int kA, int kB>
STINT_INLINE void TileMultiplyAdd() {
  if constexpr (kDot == TileDot::kBf16) {
    Tiles::template DotBf16<kC, kA, kB>();
  } else {
    Tiles::template DotU8S8<kC, kA, kB>();
  }
}

// One step: the tiles of A at `at` and of B.
template <class Tiles, TileDot kDot, int kRowTiles, int kColTiles>
STINT_INLINE void TileStep(const TileProduct& t, int64_t at, const uint8_t* b) {
  Tiles::template Load<6>(b, kTileRowBytes);
  Tiles::template Load<4>(t.a[0] + at, t.a_stride);
  TileMultiplyAdd<Tiles, kDot, 0, 4, 6>();
  if constexpr (kColTiles == 2) {
    Tiles::template Load<7>(b + kTileBytes, kTileRowBytes);
    TileMultiplyAdd<Tiles, kDot, 1, 4, 7>();
  }
  if constexpr (kRowTiles == 2) {
    Tiles::template Load<5>(t.a[1] + at, t.a_stride);
    TileMultiplyAdd<Tiles, kDot, 2, 5, 6>();
    if constexpr (kColTiles == 2) TileMultiplyAdd<Tiles, kDot, 3, 5, 7>();
  }
}

// `beside(step)` is called in every step: what it computes on vectors is done
// while the tiles multiply.
template <class Tiles, TileDot kDot, int kRowTiles, int kColTiles, class T,
          class Beside>
__attribute__((noinline)) void MultiplyTiles(const TileProduct& product,
                                             TileSums<T>* sums,
                                             const Beside& beside) {
  const TileProduct t = product;  // in registers, whatever memory does
  Tiles::template Zero<0>();
  if (kColTiles == 2) Tiles::template Zero<1>();
  if (kRowTiles == 2) Tiles::template Zero<2>();
  if (kRowTiles == 2 && kColTiles == 2) Tiles::template Zero<3>();
  const uint8_t* b = t.b;
  const uint8_t* far = t.far;
  for (int64_t s = 0; s < t.steps; ++s, b += 2 * kTileBytes) {
    const int64_t at = t.a_offset ? t.a_offset[s] : s * kTileBytes;
    TileStep<Tiles, kDot, kRowTiles, kColTiles>(t, at, b);
    for (int64_t i = 0; i < t.far_lines; ++i, far += 64) {
      __builtin_prefetch(far, 0, 2);
    }
    beside(s);
  }
  Tiles::template Store<0>(sums->tile[0], kTileRowBytes);
  if (kColTiles == 2) Tiles::template Store<1>(sums->tile[1], kTileRowBytes);
  if (kRowTiles == 2) Tiles::template Store<2>(sums->tile[2], kTileRowBytes);
  if (kRowTiles == 2 && kColTiles == 2) {
    Tiles::template Store<3>(sums->tile[3], kTileRowBytes);
  }
}

// Without registers nothing waits for `beside`, which has its turns first.
template <WholeTiles Tiles, TileDot kDot, int kRowTiles, int kColTiles, class T,
          class Beside>
void MultiplyTiles(const TileProduct& t, TileSums<T>* sums,
                   const Beside& beside) {
  for (int64_t s = 0; s < t.steps; ++s) beside(s);
  Tiles::template Multiply<kDot, kRowTiles, kColTiles>(t, sums);
}

// The tiles must have been shaped by ShapeTiles for the rows of A.
template <class Tiles, TileDot kDot, class T, class Beside>
STINT_INLINE void MultiplyTiles(const TileProduct& t, int row_tiles,
                                int col_tiles, TileSums<T>* sums,
                                const Beside& beside) {
  if (row_tiles == 2) {
    return col_tiles == 2 ? MultiplyTiles<Tiles, kDot, 2, 2>(t, sums, beside)
                          : MultiplyTiles<Tiles, kDot, 2, 1>(t, sums, beside);
  }
  return col_tiles == 2 ? MultiplyTiles<Tiles, kDot, 1, 2>(t, sums, beside)
                        : MultiplyTiles<Tiles, kDot, 1, 1>(t, sums, beside);
}

template <class Tiles, TileDot kDot, class T>
STINT_INLINE void MultiplyTiles(const TileProduct& t, int row_tiles,
                                int col_tiles, TileSums<T>* sums) {
  MultiplyTiles<Tiles, kDot>(t, row_tiles, col_tiles, sums, [](int64_t) {});
}

// The sums that left the registers last wait here to be finished beside the
// next product of the thread. Block says what becomes of them.
template <class Block, class T>
struct TileQueue {
  TileShape shape;
  Block block;
  int64_t row = 0;   // of `block`, the first that waits
  int64_t rows = 0;  // that wait, at most 32
  int turn = 0;      // of sums, those that wait
  TileSums<T> sums[2];

  // finish(block, row, sums, range) does rows [range.begin, range.end) of what
  // waits.
  struct Range {
    int64_t begin;
    int64_t end;
  };

  // Multiplies while it finishes what waits; then the new sums wait.
  template <class Tiles, TileDot kDot, class Finish>
  STINT_INLINE void Multiply(const TileProduct& t, const Block& next,
                             int64_t next_row, int64_t next_rows,
                             const Finish& finish) {
    const int64_t step = t.steps > 0 ? (rows + t.steps - 1) / t.steps : rows;
    const auto beside = [&](int64_t s) STINT_LAMBDA {
      const int64_t begin = s * step;
      const int64_t end = begin + step < rows ? begin + step : rows;
      if (begin < end) finish(block, row, sums[turn], Range{begin, end});
    };
    MultiplyTiles<Tiles, kDot>(t, next_rows > kTileRows ? 2 : 1,
                               next.n > 16 ? 2 : 1, &sums[1 - turn], beside);
    if (t.steps == 0) beside(0);
    block = next;
    row = next_row;
    rows = next_rows;
    turn = 1 - turn;
  }

  // Must be called before anybody reads the results.
  template <class Tiles, class Finish>
  STINT_INLINE void Release(const Finish& finish) {
    if (rows > 0) finish(block, row, sums[turn], Range{0, rows});
    rows = 0;
    ReleaseTiles<Tiles>(&shape);
  }
};

}  // namespace stint
