#include "engine/run/memory_plan.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace stint {
namespace {

bool Overlap(const BufferLife& a, const BufferLife& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

// A buffer lives as long as any of its pieces; these stand before it.
std::vector<BufferLife> SpanPieces(std::vector<BufferLife> buffers) {
  for (const BufferLife& piece : buffers) {
    if (piece.within < 0) continue;
    BufferLife& whole = buffers[static_cast<size_t>(piece.within)];
    whole.first_step = std::min(whole.first_step, piece.first_step);
    whole.last_step = std::max(whole.last_step, piece.last_step);
  }
  return buffers;
}

}  // namespace

MemoryPlan PlanMemory(const std::vector<BufferLife>& lives) {
  const std::vector<BufferLife> buffers = SpanPieces(lives);
  std::vector<size_t> order;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].within < 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  MemoryPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  std::vector<size_t> placed;  // by offset
  for (size_t i : order) {
    const int64_t bytes = RoundUp(buffers[i].bytes, kBufferAlignment);
    int64_t offset = 0;
    for (size_t j : placed) {
      if (!Overlap(buffers[i], buffers[j])) continue;
      if (plan.offsets[j] >= offset + bytes) break;
      offset = std::max(offset, plan.offsets[j] + RoundUp(buffers[j].bytes,
                                                          kBufferAlignment));
    }
    plan.offsets[i] = offset;
    plan.arena_bytes = std::max(plan.arena_bytes, offset + bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i,
                                   [&](size_t a, size_t b) {
                                     return plan.offsets[a] < plan.offsets[b];
                                   }),
                  i);
  }
  for (size_t i = buffers.size(); i-- > 0;) {
    if (buffers[i].within < 0) continue;
    const auto whole = static_cast<size_t>(buffers[i].within);
    plan.offsets[i] = plan.offsets[whole] + buffers[i].at;
  }
  return plan;
}

}  // namespace stint
