#pragma once
// Places buffers with known lifetimes into one arena so that buffers which are
// never alive together share bytes. Pure: same input, same plan.

#include <cstdint>
#include <vector>

namespace stint {

inline constexpr int64_t kBufferAlignment = 64;  // bytes

struct BufferLife {
  int64_t bytes = 0;
  int first_step = 0;  // written
  int last_step = 0;   // last read; >= first_step
  // The buffer is a piece of another one that stands later in the list: there
  // are no bytes of its own. -1: it is a buffer by itself.
  int within = -1;
  int64_t at = 0;  // byte of that buffer where the piece begins
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // per buffer, aligned to 64 bytes
  int64_t arena_bytes = 0;
};

// Largest buffers first, each at the lowest offset that is free for its whole
// life and that of its pieces.
MemoryPlan PlanMemory(const std::vector<BufferLife>& lives);

}  // namespace stint
