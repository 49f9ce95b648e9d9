#pragma once
// Steps that several kinds of nodes need.

#include <array>
#include <string_view>

#include "engine/opencl/node_lowering.h"
#include "engine/opencl/strided.h"
#include "kernels/simd/activation.h"

namespace stint {

struct UnaryOperands {
  BufferNumber x;
  BufferNumber y;
  cl_int size = 0;
};
// `function` is one of element_functions.h.
void AddUnary(std::string_view function, const Float4& parameters,
              const UnaryOperands& operands, NodeLowering* node);

struct Operand {
  BufferNumber buffer;
  Shape dims;
};
// y from two operands that broadcast to its shape.
struct BinaryOperands {
  Operand a;
  Operand b;
  Operand y;
};
// `function` is one of element_functions.h.
Status AddBinary(std::string_view function, const BinaryOperands& operands,
                 NodeLowering* node);

// The node's output in place.
Status AddActivation(const Activation& activation, NodeLowering* node);

// alpha * a * b for matrices at any steps.
struct DeviceMatMul {
  std::array<int64_t, 3> sizes;  // m, n, k
  std::array<int64_t, 4> steps;  // of a along m and k, of b along k and n
  Strided batch;                 // with steps of a and of b
  float alpha = 1;
};
Status AddProduct(const DeviceMatMul& product,
                  const std::array<BufferNumber, 3>& a_b_y, NodeLowering* node);

}  // namespace stint
