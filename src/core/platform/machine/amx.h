#pragma once
// Whether AMX can be used. CPUID alone is not trusted: some hypervisors
// advertise AMX and refuse it, others hide its leaf and allow it.

#include <cstdint>

namespace stint {

// What `ldtilecfg` reads: the shape of each of the eight tile registers.
struct alignas(64) AmxTileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t column_bytes[16] = {};
  uint8_t rows[16] = {};
};

// Asks the kernel for tile state, once per process, and multiplies tiles of
// int8 and of bf16 under a guard. False on any machine that cannot. Any thread
// may call; takes microseconds the first time.
bool AmxWorks();

// Runs `test` and gives what it returns, or false when it executes an
// instruction this CPU lacks. One thread at a time; others may run meanwhile.
bool TrueUnlessIllegal(bool (*test)());

}  // namespace stint
