#include "engine/run/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "core/base/checked_math.h"

namespace stint {
namespace {

constexpr int64_t kAlignment = 64;

bool Overlap(const BufferLife& a, const BufferLife& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

}  // namespace

MemoryPlan PlanMemory(const std::vector<BufferLife>& buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  MemoryPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  std::vector<size_t> placed;  // by offset
  for (size_t i : order) {
    const int64_t bytes = RoundUp(buffers[i].bytes, kAlignment);
    int64_t offset = 0;
    for (size_t j : placed) {
      if (!Overlap(buffers[i], buffers[j])) continue;
      if (plan.offsets[j] >= offset + bytes) break;
      offset = std::max(
          offset, plan.offsets[j] + RoundUp(buffers[j].bytes, kAlignment));
    }
    plan.offsets[i] = offset;
    plan.arena_bytes = std::max(plan.arena_bytes, offset + bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i,
                                   [&](size_t a, size_t b) {
                                     return plan.offsets[a] < plan.offsets[b];
                                   }),
                  i);
  }
  return plan;
}

}  // namespace stint
