#include "model/text/merge_table.h"

#include <algorithm>
#include <bit>

namespace stint {

MergeTable::MergeTable(size_t count)
    : slots_(std::bit_ceil(std::max<size_t>(2 * count, 2))),
      shift_(64 - std::countr_zero(slots_.size())) {}

size_t MergeTable::SlotOf(uint64_t pair) const {
  const size_t mask = slots_.size() - 1;
  uint64_t hash = pair * 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u;
  size_t i = hash >> shift_;
  while (slots_[i].pair != pair && slots_[i].pair != kFree) i = (i + 1) & mask;
  return i;
}

void MergeTable::Add(int32_t left, int32_t right, const Merge& merge) {
  const uint64_t pair = PairOf(left, right);
  slots_[SlotOf(pair)] = {pair, merge};
}

const Merge* MergeTable::Find(int32_t left, int32_t right) const {
  const Slot& slot = slots_[SlotOf(PairOf(left, right))];
  return slot.pair == kFree ? nullptr : &slot.merge;
}

}  // namespace stint
