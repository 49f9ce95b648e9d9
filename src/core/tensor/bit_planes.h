#pragma once
// The order of bits in the planes of a coded matrix, shared by the store that
// writes planes and the kernels that read them.
//
// A matrix W [n outputs, k inputs] of y = x * W^T is cut into blocks, each with
// dictionaries of its own. A weight of a block is an 8-bit code; its b-bit code
// is the upper b bits, its value at b bits is scale[output] * values_b[code],
// with one int8 dictionary of 2^b values per b. Plane p holds bit 7 - p of
// every code, so b bits need planes 0 to b - 1, and a raised fidelity adds a
// plane.
//
// A word is 64 weights, 16 outputs by 4 inputs, in the order in which vpdpbusd
// and AMX read int8 weights: bit 4 * (output % 16) + input % 4. A strip is 16
// outputs of a block: a word per 4 inputs. A plane is its strips one after the
// other, little-endian. Padding (outputs to 16, inputs to 4) has any code; it
// meets zero inputs and outputs nobody reads.

#include <cstdint>

namespace stint {

inline constexpr int kPlaneMinBits = 2;
inline constexpr int kPlaneMaxBits = 8;
inline constexpr int64_t kPlaneStripOutputs = 16;
inline constexpr int64_t kPlaneWordInputs = 4;
inline constexpr int64_t kPlaneWordWeights =
    kPlaneStripOutputs * kPlaneWordInputs;

// Outputs and inputs of a block, without padding.
struct PlaneBlockShape {
  int64_t outputs = 0;
  int64_t inputs = 0;

  constexpr int64_t strips() const {
    return (outputs + kPlaneStripOutputs - 1) / kPlaneStripOutputs;
  }
  constexpr int64_t strip_words() const {
    return (inputs + kPlaneWordInputs - 1) / kPlaneWordInputs;
  }
  // Words (8 bytes each) of one plane.
  constexpr int64_t plane_words() const { return strips() * strip_words(); }
  // Word of a plane in which a weight's bit stands, and the bit's number.
  constexpr int64_t word(int64_t output, int64_t input) const {
    return output / kPlaneStripOutputs * strip_words() +
           input / kPlaneWordInputs;
  }
  static constexpr int bit(int64_t output, int64_t input) {
    return static_cast<int>(output % kPlaneStripOutputs * kPlaneWordInputs +
                            input % kPlaneWordInputs);
  }
};

// Where the values of b bits begin in dictionaries stored one after the other
// from 2 bits on: 4 values, 8, 16, ...
constexpr int64_t PlaneDictionaryOffset(int bits) {
  return (int64_t{1} << bits) - (int64_t{1} << kPlaneMinBits);
}
inline constexpr int64_t kPlaneDictionaryValues =
    PlaneDictionaryOffset(kPlaneMaxBits + 1);

}  // namespace stint
