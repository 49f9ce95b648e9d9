#include "core/meter/quantile_sketch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stint {
namespace {

constexpr double kLeast = 1e-4;
constexpr double kStep = 1.01;
// From kLeast to 1e6: log(1e10) / log(1.01).
constexpr int kBuckets = 2315;

int BucketOf(double value) {
  const double at =
      std::log(std::max(value, kLeast) / kLeast) / std::log(kStep);
  return static_cast<int>(std::min(at, kBuckets - 1.0));
}

}  // namespace

void QuantileSketch::Add(double value) {
  if (buckets_.empty()) buckets_.resize(kBuckets);
  ++buckets_[static_cast<size_t>(BucketOf(value))];
  least_ = count_ == 0 ? value : std::min(least_, value);
  most_ = count_ == 0 ? value : std::max(most_, value);
  ++count_;
}

double QuantileSketch::Quantile(double q) const {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  int64_t left = std::llround(q * static_cast<double>(count_ - 1));
  if (left == 0) return least_;
  if (left == count_ - 1) return most_;
  int bucket = 0;
  while (left >= buckets_[static_cast<size_t>(bucket)]) {
    left -= buckets_[static_cast<size_t>(bucket)];
    ++bucket;
  }
  return std::clamp(kLeast * std::pow(kStep, bucket + 0.5), least_, most_);
}

}  // namespace stint
