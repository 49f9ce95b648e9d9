#include "core/platform/amx.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#endif

namespace stint {

#if defined(__x86_64__)
namespace {

constexpr int kArchReqXcompPerm = 0x1023;
constexpr int kXfeatureTileData = 18;

bool CpuidSaysAmx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  const bool bf16 = d & (1u << 22), tile = d & (1u << 24),
             int8 = d & (1u << 25);
  if (!bf16 || !tile || !int8) return false;
  unsigned xcr0_low = 0, xcr0_high = 0;
  asm volatile("xgetbv" : "=a"(xcr0_low), "=d"(xcr0_high) : "c"(0));
  return (xcr0_low & (3u << 17)) == (3u << 17);
}

sigjmp_buf illegal_instruction;
void OnIllegalInstruction(int) { siglongjmp(illegal_instruction, 1); }

struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t column_bytes[16] = {};
  uint8_t rows[16] = {};
};

// One int8 tile product of known values: C[16][16] += A[16][64] * B[16][64].
bool TileProductIsRight() {
  TileConfig config;
  for (int t = 0; t < 3; ++t) {
    config.column_bytes[t] = 64;
    config.rows[t] = 16;
  }
  alignas(64) int8_t a[16][64], b[16][64];
  alignas(64) int32_t c[16][16];
  std::memset(a, 2, sizeof(a));
  std::memset(b, 3, sizeof(b));
  const int64_t stride = 64;
  asm volatile(
      "ldtilecfg (%0)\n\t"
      "tilezero %%tmm0\n\t"
      "tileloadd (%1,%4,1), %%tmm1\n\t"
      "tileloadd (%2,%4,1), %%tmm2\n\t"
      "tdpbssd %%tmm2, %%tmm1, %%tmm0\n\t"
      "tilestored %%tmm0, (%3,%4,1)\n\t"
      "tilerelease"
      :
      : "r"(&config), "r"(a), "r"(b), "r"(c), "r"(stride)
      : "memory");
  for (const auto& row : c) {
    for (int32_t value : row) {
      if (value != 64 * 2 * 3) return false;
    }
  }
  return true;
}

}  // namespace

bool AmxWorks() {
  if (!CpuidSaysAmx()) return false;
  if (syscall(SYS_arch_prctl, kArchReqXcompPerm, kXfeatureTileData) != 0) {
    return false;
  }
  struct sigaction guard {
  }, previous{};
  guard.sa_handler = OnIllegalInstruction;
  sigaction(SIGILL, &guard, &previous);
  const bool works =
      sigsetjmp(illegal_instruction, 1) == 0 && TileProductIsRight();
  sigaction(SIGILL, &previous, nullptr);
  return works;
}
#else
bool AmxWorks() { return false; }
#endif

}  // namespace stint
