#pragma once
// The fused attention kernels, best first, and what each is handed: the keys
// and values of one head to pack, then blocks of its query rows.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"

namespace stint {

struct AttentionF32Head {
  int64_t length;  // keys
  int64_t size;    // floats of a query, key or value
  const float* k;  // [length, size]
  int64_t ldk;
  const float* v;  // [length, size]
  int64_t ldv;
  float* keys;  // packed K^T, length rounded up to tile_n x size
  // Packed V, length rounded up to step_k x size rounded up to tile_n.
  float* values;
};

struct AttentionF32Rows {
  AttentionF32Head head;
  int64_t m;
  const float* q;  // [m, size]
  int64_t ldq;
  float scale;
  const float* mask;  // [m, length] or null, added to scaled scores
  int64_t ldm;        // 0: one row of mask for all
  float* out;         // [m, size]
  int64_t ldo;
  float* scores;  // [m, lds] scratch
  int64_t lds;    // whole vectors, at least one more than length needs
};

struct AttentionF32Kernel {
  const char* name;
  Isa isa;
  int tile_m;
  int tile_n;
  void (*pack)(const AttentionF32Head& head);
  void (*run)(const AttentionF32Rows& rows);
  int step_k = 1;  // packed values have room for a multiple of so many keys
  // Packs keys and values [begin, end) of a head, begin a multiple of step_k;
  // null where only a whole head can be packed.
  void (*pack_keys)(const AttentionF32Head& head, int64_t begin,
                    int64_t end) = nullptr;
};

std::span<const AttentionF32Kernel> AttentionF32Table();

// The best row that runs on a machine of level `cap`.
const AttentionF32Kernel& PickAttentionF32(Isa cap);

}  // namespace stint
