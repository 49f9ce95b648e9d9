#pragma once
// Pair of token ids to its merge: rank and merged id. Made once, then read
// only.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/heap_bytes.h"

namespace stint {

struct Merge {
  uint32_t rank;
  int32_t id;
};

class MergeTable {
 public:
  explicit MergeTable(size_t count);  // room for `count` merges

  // A pair that is there already keeps the later rank, as in Hugging Face's
  // reader.
  void Add(int32_t left, int32_t right, const Merge& merge);
  // Null when the pair does not merge.
  const Merge* Find(int32_t left, int32_t right) const;
  int64_t heap_bytes() const { return HeapBytes(slots_); }

 private:
  struct Slot {
    uint64_t pair = kFree;
    Merge merge = {0, 0};
  };
  // Ids are not negative, so no pair has this value.
  static constexpr uint64_t kFree = ~uint64_t{0};
  static uint64_t PairOf(int32_t left, int32_t right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 |
           static_cast<uint32_t>(right);
  }
  size_t SlotOf(uint64_t pair) const;

  std::vector<Slot> slots_;  // a power of two, at most half full
  int shift_;
};

}  // namespace stint
