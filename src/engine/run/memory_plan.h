#pragma once
// Places buffers with known lifetimes into one arena so that buffers which are
// never alive together share bytes. Pure: same input, same plan.

#include <cstdint>
#include <vector>

namespace stint {

struct BufferLife {
  int64_t bytes = 0;
  int first_step = 0;  // written
  int last_step = 0;   // last read; >= first_step
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // per buffer, aligned to 64 bytes
  int64_t arena_bytes = 0;
};

// Largest buffers first, each at the lowest offset that is free for its whole
// life.
MemoryPlan PlanMemory(const std::vector<BufferLife>& buffers);

}  // namespace stint
