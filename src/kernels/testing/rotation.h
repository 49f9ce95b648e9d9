#pragma once
// For benchmarks: weights that are cold as in a model, and the fastest of
// several calls.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/platform/clock.h"

namespace stint {

// More than any cache holds.
inline constexpr int64_t kModelBytes = 64 << 20;

// The first address from p that is a multiple of 64.
template <class T>
T* Aligned(T* p) {
  while (reinterpret_cast<uintptr_t>(p) % 64 != 0) ++p;
  return p;
}

// Copies of one packed matrix, taken in turn.
template <class T>
class Rotation {
 public:
  Rotation(const std::vector<T>& packed, bool rotating)
      : size_(static_cast<int64_t>(packed.size())) {
    const int64_t bytes = size_ * static_cast<int64_t>(sizeof(T));
    copies_ = rotating ? kModelBytes / bytes + 1 : 1;
    data_.resize(static_cast<size_t>(copies_ * size_ + 64));
    first_ = Aligned(data_.data());
    for (int64_t i = 0; i < copies_; ++i) {
      std::copy(packed.begin(), packed.end(), first_ + i * size_);
    }
  }
  const T* Next() { return first_ + turn_++ % copies_ * size_; }

 private:
  std::vector<T> data_;
  T* first_;
  int64_t size_;
  int64_t copies_;
  int64_t turn_ = 0;
};

// The fastest of a few calls in a row: the first finds caches cold.
template <class Body>
double BestSeconds(Body body) {
  double best = 1e9;
  for (int i = 0; i < 4; ++i) {
    const int64_t start = NowNs();
    body();
    best = std::min(best, MsSince(start) * 1e-3);
  }
  return best;
}

}  // namespace stint
