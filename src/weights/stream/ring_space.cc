#include "weights/stream/ring_space.h"

namespace stint {

std::optional<int64_t> RingSpace::Take(int64_t bytes) {
  int64_t begin = 0;
  if (pieces_.empty()) {
    if (bytes > bytes_) return std::nullopt;
  } else {
    const int64_t first = pieces_.front().begin;
    begin = pieces_.back().end;
    const bool wrapped = begin <= first;
    if (!wrapped && bytes > bytes_ - begin) begin = 0;
    const bool before_first = wrapped || begin == 0;
    const int64_t end = before_first ? first : bytes_;
    if (bytes > end - begin) return std::nullopt;
  }
  pieces_.push_back({begin, begin + bytes});
  return begin;
}

void RingSpace::GiveBack() { pieces_.pop_front(); }
void RingSpace::GiveBackLast() { pieces_.pop_back(); }

}  // namespace stint
