#pragma once
// A matrix of weights as nested codes of 2 to 8 bits: blocks of bit planes
// (core/tensor/bit_planes.h), their dictionaries, and what is kept apart.

#include <array>
#include <cstdint>
#include <vector>

#include "core/tensor/bit_planes.h"

namespace stint {

// How many fidelities there are: 2 to 8 bits.
inline constexpr int kFidelities = kPlaneMaxBits - kPlaneMinBits + 1;

// The b-bit dictionary is at PlaneDictionaryOffset(b), 2^b values long.
using PlaneDictionaries = std::array<int8_t, kPlaneDictionaryValues>;

// The code of an outlier, whose weight is kept apart: the end of the dictionary
// on its side, at every fidelity. So what it adds to the value of its code is
// known without the planes.
constexpr uint8_t OutlierCode(float weight) { return weight < 0 ? 0 : 255; }

// A weight that is exact at every fidelity.
struct PlaneOutlier {
  int32_t output = 0;  // within the block
  int32_t input = 0;
  float value = 0;
  bool operator==(const PlaneOutlier&) const = default;
};

// By bits - 2: sum of squared errors, in units of the weights.
using PlaneErrors = std::array<double, kFidelities>;

struct PlaneBlock {
  // First output and input of the block in its matrix.
  int64_t output = 0;
  int64_t input = 0;
  PlaneBlockShape shape;
  PlaneDictionaries values{};
  // Planes one after the other, plane_words() each, as many as there are bits.
  std::vector<uint64_t> planes;
  std::vector<PlaneOutlier> outliers;  // by output, then input
  PlaneErrors error{};
  double energy = 0;  // sum of squared weights
};

enum class PlaneCut : uint8_t { kOutputs = 0, kInputs = 1 };

// W [outputs, inputs] of y = x * W^T.
struct PlaneMatrix {
  int64_t outputs = 0;
  int64_t inputs = 0;
  int bits = kPlaneMaxBits;   // highest fidelity, the number of planes
  std::vector<float> scales;  // one per output
  std::vector<PlaneBlock> blocks;
};

}  // namespace stint
