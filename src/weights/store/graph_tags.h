#pragma once
// Numbers that stand for kinds in an encoded graph.

#include <cstdint>

namespace stint::store {

// Of an operator's field.
enum class FieldTag : uint8_t {
  kInt = 1,
  kFloat = 2,
  kText = 3,
  kDType = 4,
  kTensor = 5,
  kSubgraph = 6,
  kList = 7,
};

// Of a value.
enum class Contents : uint8_t {
  kNone = 0,    // computed, or an input
  kTensor = 1,  // a constant
  kPacked = 2,  // a constant that exists only in a kernel's layout
};

}  // namespace stint::store
