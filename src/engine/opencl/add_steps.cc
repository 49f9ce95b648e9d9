#include "engine/opencl/add_steps.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "engine/opencl/element_functions.h"

namespace stint {
void AddUnary(std::string_view function, const Float4& parameters,
              const UnaryOperands& operands, NodeLowering* node) {
  OpenClLaunch launch;
  launch.kernel = "unary";
  launch.light = true;
  launch.items[0] = operands.size;
  launch.arguments = {operands.x, operands.y, operands.size,
                      static_cast<cl_int>(UnaryFunction(function)), parameters};
  node->Launch(std::move(launch));
}

Status AddBinary(std::string_view function, const BinaryOperands& operands,
                 NodeLowering* node) {
  const Shape& dims = operands.y.dims;
  STINT_ASSIGN_OR_RETURN(
      const Strided strided,
      MergeForKernels(dims, {BroadcastStrides(dims, operands.a.dims),
                             BroadcastStrides(dims, operands.b.dims)}));
  const StridedRuns split = SplitRuns(strided);
  OpenClLaunch launch;
  launch.kernel = "binary";
  launch.light = true;
  launch.items = {split.length, split.runs, 1};
  launch.arguments = {
      operands.a.buffer,
      operands.b.buffer,
      operands.y.buffer,
      static_cast<cl_int>(BinaryFunction(function)),
      Int4{split.length, split.runs, split.steps[0], split.steps[1]},
      split.outer.dims,
      split.outer.steps[0],
      split.outer.steps[1],
      static_cast<cl_int>(split.outer.rank)};
  node->Launch(std::move(launch));
  return OkStatus();
}

Status AddActivation(const Activation& activation, NodeLowering* node) {
  STINT_ASSIGN_OR_RETURN(const cl_int size, CountOf(node->out()));
  AddUnary(
      "clamp",
      {activation.lo, activation.hi, static_cast<cl_float>(activation.curve)},
      {node->Output(), node->Output(), size}, node);
  return OkStatus();
}

Status AddProduct(const DeviceMatMul& product,
                  const std::array<BufferNumber, 3>& a_b_y,
                  NodeLowering* node) {
  const auto narrow = [](int64_t value) { return static_cast<cl_int>(value); };
  const auto [m, n, k] = product.sizes;
  const int64_t blocks = CeilDiv(n, node->tile().channels);
  int64_t matrices = 1;
  for (cl_int dim : product.batch.dims) matrices *= dim;
  OpenClLaunch launch;
  launch.kernel = "matmul";
  launch.items = {CeilDiv(m, node->tile().pixels) * blocks, matrices, 1};
  launch.arguments = {a_b_y[0],
                      a_b_y[1],
                      a_b_y[2],
                      Int4{narrow(m), narrow(n), narrow(k), narrow(blocks)},
                      Int4{narrow(product.steps[0]), narrow(product.steps[1]),
                           narrow(product.steps[2]), narrow(product.steps[3])},
                      product.batch.dims,
                      product.batch.steps[0],
                      product.batch.steps[1],
                      static_cast<cl_int>(product.batch.rank),
                      product.alpha};
  node->Launch(std::move(launch));
  return OkStatus();
}

}  // namespace stint
