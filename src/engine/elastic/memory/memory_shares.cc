#include "engine/elastic/memory/memory_shares.h"

#include <algorithm>
#include <utility>

namespace stint {
namespace {

void Release(MemoryShare* share) {
  share->stale = true;
  if (share->weight_bytes > 0) share->release();
  share->weight_bytes = 0;
}

// total * part / whole, which may not fit into 64 bits on the way.
int64_t PartOf(int64_t total, int64_t part, int64_t whole) {
  return static_cast<int64_t>(static_cast<__int128>(total) * part / whole);
}

}  // namespace

void MemoryShares::Join(MemoryShare* share) {
  ReleaseOthers(nullptr);
  shares_.push_back(share);
}

void MemoryShares::Leave(MemoryShare* share) {
  std::erase(shares_, share);
  if (last_ == share) last_ = nullptr;
  for (MemoryShare* other : shares_) other->stale = true;
}

void MemoryShares::ReleaseOthers(const MemoryShare* share) {
  for (MemoryShare* other : shares_) {
    if (other != share) Release(other);
  }
}

bool MemoryShares::TakeTurn(const MemoryShare* share) {
  return std::exchange(last_, share) == share;
}

void MemoryShares::ReleaseShapesOfOthers(const MemoryShare* share) {
  for (MemoryShare* other : shares_) {
    if (other != share && other->release_shapes) other->release_shapes();
  }
}

void MemoryShares::MakeRoom(const MemoryShare* share) {
  for (MemoryShare* other : shares_) {
    if (other != share && other->weight_bytes > BytesOf(other)) Release(other);
  }
}

int64_t MemoryShares::WeightsOfOthers(const MemoryShare* share) const {
  int64_t bytes = 0;
  for (const MemoryShare* other : shares_) {
    if (other != share) bytes += other->weight_bytes;
  }
  return bytes;
}

int64_t MemoryShares::FixedBytes() const {
  int64_t bytes = 0;
  for (const MemoryShare* share : shares_) {
    bytes = std::max(bytes, share->fixed_bytes);
  }
  return bytes;
}

int64_t MemoryShares::BytesOf(const MemoryShare* share) const {
  int64_t least = 0, more = 0;
  for (const MemoryShare* each : shares_) {
    least += each->least_bytes;
    more += each->most_bytes - each->least_bytes;
  }
  const int64_t room = std::max<int64_t>(0, budget_bytes_ - FixedBytes());
  if (room <= least) {
    return least > 0 ? PartOf(room, share->least_bytes, least) : 0;
  }
  if (more == 0) return share->least_bytes;
  return share->least_bytes +
         PartOf(room - least, share->most_bytes - share->least_bytes, more);
}

}  // namespace stint
