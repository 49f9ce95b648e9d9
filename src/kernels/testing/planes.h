#pragma once
// Random weights as bit planes, for kernel tests and benchmarks: the codes, the
// planes that hold them, the dictionaries, and the values they stand for.

#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/tensor/bit_planes.h"

namespace stint {

// A block of 8-bit codes with random dictionaries; padding has random codes.
class RandomPlanes {
 public:
  RandomPlanes(const PlaneBlockShape& shape, uint64_t seed)
      : shape_(shape),
        codes_(static_cast<size_t>(shape.plane_words() * kPlaneWordWeights)),
        planes_(static_cast<size_t>(kPlaneMaxBits * shape.plane_words())),
        values_(kPlaneDictionaryValues) {
    Random random(seed);
    for (uint8_t& code : codes_) code = static_cast<uint8_t>(random.NextU64());
    for (int8_t& v : values_) v = static_cast<int8_t>(random.NextU64());
    const int64_t outputs = shape.strips() * kPlaneStripOutputs;
    for (int64_t o = 0; o < outputs; ++o) {
      for (int64_t i = 0; i < Stride(); ++i) SetBits(o, i);
    }
  }

  const PlaneBlockShape& shape() const { return shape_; }
  const uint64_t* plane(int p) const {
    return planes_.data() + p * shape_.plane_words();
  }
  // [2^bits]
  const int8_t* values(int bits) const {
    return values_.data() + PlaneDictionaryOffset(bits);
  }
  int8_t Value(int64_t output, int64_t input, int bits) const {
    return values(
        bits)[codes_[output * Stride() + input] >> (kPlaneMaxBits - bits)];
  }

 private:
  int64_t Stride() const { return shape_.strip_words() * kPlaneWordInputs; }
  void SetBits(int64_t output, int64_t input) {
    const int code = codes_[output * Stride() + input];
    for (int p = 0; p < kPlaneMaxBits; ++p) {
      const uint64_t bit = code >> (kPlaneMaxBits - 1 - p) & 1;
      planes_[p * shape_.plane_words() + shape_.word(output, input)] |=
          bit << PlaneBlockShape::bit(output, input);
    }
  }

  PlaneBlockShape shape_;
  std::vector<uint8_t> codes_;  // [padded outputs, padded inputs]
  std::vector<uint64_t> planes_;
  std::vector<int8_t> values_;
};

}  // namespace stint
