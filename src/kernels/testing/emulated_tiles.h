#pragma once
// The AMX tile registers in memory: what each instruction does to them, for
// tests on machines without AMX. Shapes come from the configuration, and what a
// real CPU would refuse is a failed check.

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/base/check.h"
#include "core/base/float_bits.h"
#include "kernels/simd/amx_tiles.h"

namespace stint {

// The registers of one thread.
struct TileRegisters {
  bool configured = false;
  AmxTileConfig config;
  uint8_t tile[8][kTileRows][kTileRowBytes];

  void Configure(const AmxTileConfig& shapes) {
    STINT_CHECK(shapes.palette == 1 && shapes.start_row == 0);
    for (int t = 0; t < 8; ++t) {
      STINT_CHECK(shapes.rows[t] > 0 && shapes.rows[t] <= kTileRows);
      STINT_CHECK(shapes.column_bytes[t] > 0 &&
                  shapes.column_bytes[t] <= kTileRowBytes);
    }
    configured = true;
    config = shapes;
    std::memset(tile, 0, sizeof(tile));
  }
  void Release() { configured = false; }
  void Zero(int t) {
    STINT_CHECK(configured);
    std::memset(tile[t], 0, sizeof(tile[t]));
  }
  // Rows and columns past the shape become 0.
  void Load(int t, const uint8_t* p, int64_t stride) {
    Zero(t);
    for (int r = 0; r < config.rows[t]; ++r) {
      std::memcpy(tile[t][r], p + r * stride, config.column_bytes[t]);
    }
  }
  void Store(int t, uint8_t* p, int64_t stride) const {
    STINT_CHECK(configured);
    for (int r = 0; r < config.rows[t]; ++r) {
      std::memcpy(p + r * stride, tile[t][r], config.column_bytes[t]);
    }
  }

  template <class T>
  T Get(int t, int r, int at) const {
    T value;
    std::memcpy(&value, tile[t][r] + at * sizeof(T), sizeof(T));
    return value;
  }
  // C += A * B needs columns of A = rows of B, and C as wide as B.
  void CheckShapes(int c, int a, int b) const {
    STINT_CHECK(configured && c != a && c != b && a != b);
    STINT_CHECK(config.rows[c] == config.rows[a]);
    STINT_CHECK(config.column_bytes[c] == config.column_bytes[b]);
    STINT_CHECK(config.column_bytes[a] == 4 * config.rows[b]);
  }

  // bf16 as tdpbf16ps reads it: subnormals are 0.
  using Floats = float[kTileRows][kTileRowBytes / 2];
  void GetBf16(int t, Floats* to) const {
    for (int r = 0; r < config.rows[t]; ++r) {
      for (int j = 0; j < config.column_bytes[t] / 2; ++j) {
        const float x = BFloat16ToFloat(Get<uint16_t>(t, r, j));
        (*to)[r][j] = std::fabs(x) < 1.17549435e-38f ? 0.0f : x;
      }
    }
  }
  // Even and odd k are summed apart, then together, then added to C.
  void DotBf16(int c, int a, int b) {
    CheckShapes(c, a, b);
    Floats x, y;
    GetBf16(a, &x);
    GetBf16(b, &y);
    for (int i = 0; i < config.rows[c]; ++i) {
      for (int j = 0; j < config.column_bytes[c] / 4; ++j) {
        float even = 0, odd = 0;
        for (int k = 0; k < config.rows[b]; ++k) {
          even += x[i][2 * k] * y[k][2 * j];
          odd += x[i][2 * k + 1] * y[k][2 * j + 1];
        }
        const float sum = Get<float>(c, i, j) + (even + odd);
        std::memcpy(tile[c][i] + 4 * j, &sum, 4);
      }
    }
  }
  void DotU8S8(int c, int a, int b) {
    CheckShapes(c, a, b);
    for (int i = 0; i < config.rows[c]; ++i) {
      for (int j = 0; j < config.column_bytes[c] / 4; ++j) {
        int32_t sum = Get<int32_t>(c, i, j);
        for (int k = 0; k < 4 * config.rows[b]; ++k) {
          sum += tile[a][i][k] *
                 static_cast<int8_t>(tile[b][k / 4][4 * j + k % 4]);
        }
        std::memcpy(tile[c][i] + 4 * j, &sum, 4);
      }
    }
  }
};

// The interface of AmxTiles on registers of the calling thread.
struct EmulatedTiles {
  static TileRegisters& Registers() {
    thread_local TileRegisters registers;
    return registers;
  }
  static void Configure(const AmxTileConfig& config) {
    Registers().Configure(config);
  }
  static void Release() { Registers().Release(); }
  template <int kTile>
  static void Zero() {
    Registers().Zero(kTile);
  }
  template <int kTile>
  static void Load(const void* p, int64_t stride) {
    Registers().Load(kTile, static_cast<const uint8_t*>(p), stride);
  }
  template <int kTile>
  static void Store(void* p, int64_t stride) {
    Registers().Store(kTile, static_cast<uint8_t*>(p), stride);
  }
  template <int kC, int kA, int kB>
  static void DotBf16() {
    Registers().DotBf16(kC, kA, kB);
  }
  template <int kC, int kA, int kB>
  static void DotU8S8() {
    Registers().DotU8S8(kC, kA, kB);
  }
};

}  // namespace stint
