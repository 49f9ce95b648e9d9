#pragma once
// Seeded random numbers that are the same on every platform (SplitMix64).

#include <cmath>
#include <cstdint>

namespace stint {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t NextU64() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  // Uniform in [0, 1).
  double NextDouble() {
    return static_cast<double>(NextU64() >> 11) * 0x1.0p-53;
  }
  // Uniform in [0, n), n > 0.
  int64_t NextInt(int64_t n) {
    return static_cast<int64_t>(NextU64() % static_cast<uint64_t>(n));
  }
  // Standard normal (Box-Muller).
  double NextNormal() {
    const double u = 1.0 - NextDouble();
    return std::sqrt(-2.0 * std::log(u)) *
           std::cos(6.283185307179586 * NextDouble());
  }

 private:
  uint64_t state_;
};

}  // namespace stint
