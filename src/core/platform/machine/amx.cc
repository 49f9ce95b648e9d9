#include "core/platform/machine/amx.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace stint {
namespace {

// The guard belongs to one thread: an illegal instruction elsewhere is none of
// its business.
thread_local bool guarded = false;
sigjmp_buf illegal_instruction;
struct sigaction previous_action;

void OnIllegalInstruction(int) {
  if (guarded) siglongjmp(illegal_instruction, 1);
  // Back to the instruction, which now meets the handler that was there.
  sigaction(SIGILL, &previous_action, nullptr);
}

}  // namespace

bool TrueUnlessIllegal(bool (*test)()) {
  struct sigaction guard {};
  guard.sa_handler = OnIllegalInstruction;
  sigset_t unblock, blocked;
  sigemptyset(&unblock);
  sigaddset(&unblock, SIGILL);
  pthread_sigmask(SIG_UNBLOCK, &unblock, &blocked);
  sigaction(SIGILL, &guard, &previous_action);
  guarded = true;
  const bool works = sigsetjmp(illegal_instruction, 1) == 0 && test();
  guarded = false;
  sigaction(SIGILL, &previous_action, nullptr);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  return works;
}

#if defined(__x86_64__)
namespace {

constexpr int kArchReqXcompPerm = 0x1023;
constexpr int kXfeatureTileData = 18;

// Leaf 7 and XCR0; leaf 0x1D, which describes the tiles, is zeroed by some
// hypervisors that offer them.
bool CpuidSaysAmx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return false;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  const bool bf16 = d & (1u << 22), tile = d & (1u << 24),
             int8 = d & (1u << 25);
  if (!bf16 || !tile || !int8) return false;
  unsigned xcr0_low = 0, xcr0_high = 0;
  asm volatile("xgetbv" : "=a"(xcr0_low), "=d"(xcr0_high) : "c"(0));
  return (xcr0_low & (3u << 17)) == (3u << 17);
}

AmxTileConfig ThreeFullTiles() {
  AmxTileConfig config;
  for (int t = 0; t < 3; ++t) {
    config.column_bytes[t] = 64;
    config.rows[t] = 16;
  }
  return config;
}

#define STINT_TILE_PRODUCT(instruction)                        \
  asm volatile(                                                \
      "ldtilecfg (%0)\n\t"                                     \
      "tilezero %%tmm0\n\t"                                    \
      "tileloadd (%1,%4,1), %%tmm1\n\t"                        \
      "tileloadd (%2,%4,1), %%tmm2\n\t" instruction            \
      " %%tmm2, %%tmm1, %%tmm0\n\t"                            \
      "tilestored %%tmm0, (%3,%4,1)\n\t"                       \
      "tilerelease"                                            \
      :                                                        \
      : "r"(&config), "r"(a), "r"(b), "r"(c), "r"(int64_t{64}) \
      : "memory")

// C[16][16] = A[16][64] * B[16][16][4], u8 by s8.
bool Int8ProductIsRight() {
  const AmxTileConfig config = ThreeFullTiles();
  alignas(64) uint8_t a[16][64];
  alignas(64) int8_t b[16][64];
  alignas(64) int32_t c[16][16];
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 64; ++j) {
      a[i][j] = static_cast<uint8_t>(i * 37 + j * 11);
      b[i][j] = static_cast<int8_t>(i * 5 - j * 7);
    }
  }
  STINT_TILE_PRODUCT("tdpbusd");
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      int32_t sum = 0;
      for (int p = 0; p < 64; ++p) sum += a[i][p] * b[p / 4][j * 4 + p % 4];
      if (c[i][j] != sum) return false;
    }
  }
  return true;
}

// Small integers, so that every sum is exact in whatever order.
uint16_t SmallBf16(int x) {
  const float value = static_cast<float>(x % 8 - 3);
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<uint16_t>(bits >> 16);
}

// C[16][16] = A[16][32] * B[16][16][2] in bf16.
bool Bf16ProductIsRight() {
  const AmxTileConfig config = ThreeFullTiles();
  alignas(64) uint16_t a[16][32], b[16][32];
  alignas(64) float c[16][16];
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 32; ++j) {
      a[i][j] = SmallBf16(i * 3 + j);
      b[i][j] = SmallBf16(i + j * 5);
    }
  }
  STINT_TILE_PRODUCT("tdpbf16ps");
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) {
      int sum = 0;
      for (int p = 0; p < 32; ++p) {
        sum += ((i * 3 + p) % 8 - 3) * ((p / 2 + (2 * j + p % 2) * 5) % 8 - 3);
      }
      if (c[i][j] != static_cast<float>(sum)) return false;
    }
  }
  return true;
}
#undef STINT_TILE_PRODUCT

bool ProductsAreRight() { return Int8ProductIsRight() && Bf16ProductIsRight(); }

bool MeasureAmx() {
  return CpuidSaysAmx() &&
         syscall(SYS_arch_prctl, kArchReqXcompPerm, kXfeatureTileData) == 0 &&
         TrueUnlessIllegal(ProductsAreRight);
}

}  // namespace

bool AmxWorks() {
  static const bool works = MeasureAmx();
  return works;
}
#else
bool AmxWorks() { return false; }
#endif

}  // namespace stint
