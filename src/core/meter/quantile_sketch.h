#pragma once
// Quantiles of any number of times in 10 KB.

#include <cstdint>
#include <vector>

namespace stint {

// Counts values in buckets 1 % apart: a quantile is within 0.5 % of a value of
// that rank (less than 1e-4 counts as 1e-4, more than 1e6 as 1e6; the smallest
// and the largest value are exact).
class QuantileSketch {
 public:
  void Add(double value);  // not NaN
  int64_t count() const { return count_; }
  // Of q in [0, 1]: the value of the rank nearest to q (count - 1). NaN without
  // values.
  double Quantile(double q) const;

 private:
  std::vector<uint32_t> buckets_;
  int64_t count_ = 0;
  double least_ = 0;
  double most_ = 0;
};

}  // namespace stint
