#include "weights/stream/ring_space.h"

namespace stint {

std::optional<int64_t> RingSpace::Take(int64_t bytes) {
  int64_t begin = 0;
  if (empty()) {
    if (bytes > bytes_) return std::nullopt;
  } else {
    const int64_t first = pieces_[first_].begin;
    begin = pieces_.back().end;
    const bool wrapped = begin <= first;
    if (!wrapped && bytes > bytes_ - begin) begin = 0;
    const bool before_first = wrapped || begin == 0;
    const int64_t end = before_first ? first : bytes_;
    if (bytes > end - begin) return std::nullopt;
  }
  if (pieces_.size() == pieces_.capacity()) {
    pieces_.erase(pieces_.begin(),
                  pieces_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  pieces_.push_back({begin, begin + bytes});
  return begin;
}

void RingSpace::GiveBack() { ++first_; }
void RingSpace::GiveBackLast() { pieces_.pop_back(); }

}  // namespace stint
