#pragma once
// What the machine can do at best, measured beside a kernel: benchmarks print
// percentages of it. x86 with VNNI, and AMX; elsewhere the limits read as 0.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/platform/clock.h"
#include "core/platform/cpu_info.h"
#include "core/platform/thread_pool.h"
#include "kernels/simd/tile_product.h"

namespace stint {

#if defined(__x86_64__)
// 16 independent sums of vpdpbusd, nothing else.
__attribute__((target("avx512f,avx512vnni"))) inline void SpinDots(
    int64_t steps) {
  for (int64_t i = 0; i < steps; ++i) {
    asm volatile(
        ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\t"
        "vpdpbusd %%zmm16, %%zmm17, %%zmm\\r\n\t"
        ".endr"
        :
        :
        : "zmm0", "zmm1", "zmm2", "zmm3", "zmm4", "zmm5", "zmm6", "zmm7",
          "zmm8", "zmm9", "zmm10", "zmm11", "zmm12", "zmm13", "zmm14", "zmm15");
  }
}

// Four independent sums of tile products of bytes, nothing else.
inline void SpinTiles(int64_t steps) {
  TileShape shape;
  ShapeTiles<AmxTiles>(kTileRows, &shape);
  for (int64_t i = 0; i < steps; ++i) {
    AmxTiles::DotU8S8<0, 4, 6>();
    AmxTiles::DotU8S8<1, 4, 7>();
    AmxTiles::DotU8S8<2, 5, 6>();
    AmxTiles::DotU8S8<3, 5, 7>();
  }
  ReleaseTiles<AmxTiles>(&shape);
}

// Reads every cache line of [begin, end), both multiples of 256 bytes apart.
__attribute__((target("avx512f"))) inline void ReadLines(const char* begin,
                                                         const char* end) {
  for (const char* p = begin; p + 256 <= end; p += 256) {
    asm volatile(
        "vmovups (%0), %%zmm0\n\tvmovups 64(%0), %%zmm1\n\t"
        "vmovups 128(%0), %%zmm2\n\tvmovups 192(%0), %%zmm3"
        :
        : "r"(p)
        : "zmm0", "zmm1", "zmm2", "zmm3");
  }
}
#endif

// The best of all measurements so far, on the threads of `pool` together.
class MachineLimits {
 public:
  MachineLimits(ThreadPool* pool, int64_t bytes)
      : pool_(pool), data_(static_cast<size_t>(bytes), 1) {}

  // Takes about 0.2 ms: a piece of the buffer is read, in turn.
  void Measure() {
#if defined(__x86_64__)
    if (DetectIsa() < Isa::kVnni) return;
    constexpr int64_t kSteps = 4096;
    const int threads = pool_->threads();
    int64_t start = NowNs();
    pool_->ParallelParts([](int) { SpinDots(kSteps); });
    const double ops = 16.0 * 64 * 2 * kSteps * threads;
    dot_gops_ = std::max(dot_gops_, 1e-6 * ops / MsSince(start));
    MeasureTiles();
    constexpr int64_t kPiece = 1 << 20;
    start = NowNs();
    pool_->ParallelParts([&](int part) {
      const int64_t pieces = static_cast<int64_t>(data_.size()) / kPiece;
      const char* at =
          data_.data() + (turn_ * threads + part) % pieces * kPiece;
      ReadLines(at, at + kPiece);
    });
    ++turn_;
    const double bytes = static_cast<double>(kPiece * threads);
    read_gbytes_ = std::max(read_gbytes_, 1e-6 * bytes / MsSince(start));
#endif
  }
  double dot_gops() const { return dot_gops_; }
  double tile_gops() const { return tile_gops_; }  // of bytes; bf16: half
  double read_gbytes() const { return read_gbytes_; }

 private:
  void MeasureTiles() {
#if defined(__x86_64__)
    if (DetectIsa() < Isa::kAmx) return;
    constexpr int64_t kSteps = 4096;
    const int64_t start = NowNs();
    pool_->ParallelParts([](int) { SpinTiles(kSteps); });
    const double ops = 4.0 * 16 * 16 * 64 * 2 * kSteps * pool_->threads();
    tile_gops_ = std::max(tile_gops_, 1e-6 * ops / MsSince(start));
#endif
  }

  ThreadPool* pool_;
  std::vector<char> data_;
  int64_t turn_ = 0;
  double dot_gops_ = 0;
  double tile_gops_ = 0;
  double read_gbytes_ = 0;
};

}  // namespace stint
