// Matrix products.

#include <algorithm>

#include "core/base/checked_math.h"
#include "engine/opencl/add_steps.h"
#include "engine/opencl/strided.h"
#include "engine/reference/fused_activation.h"

namespace stint {
namespace {

cl_int Narrow(int64_t value) { return static_cast<cl_int>(value); }

// The matrix of a layer, [k, n] or [n, k].
struct Matrix {
  const float* data;
  int64_t n;
};

// Matrices side by side as [block][k][channels]; zeros fill the last block.
struct Packing {
  int64_t k = 0;
  bool transposed = false;
  int64_t channels = 0;
  int64_t count = 0;  // floats of all blocks
};
void PackMatrices(const std::vector<Matrix>& matrices, const Packing& packing,
                  float* packed) {
  const int64_t k = packing.k;
  const int64_t channels = packing.channels;
  std::fill_n(packed, packing.count, 0.0f);
  int64_t column = 0;
  for (const Matrix& matrix : matrices) {
    for (int64_t j = 0; j < matrix.n; ++j, ++column) {
      float* to = packed + column / channels * k * channels + column % channels;
      for (int64_t i = 0; i < k; ++i) {
        to[i * channels] = packing.transposed ? matrix.data[j * k + i]
                                              : matrix.data[i * matrix.n + j];
      }
    }
  }
}

struct LinearSizes {
  int64_t rows = 1;
  int64_t columns = 0;
  int64_t depth = 0;
};

Result<BufferNumber> WeightsOf(const FusedLinear& op, const LinearSizes& sizes,
                               NodeLowering* node) {
  std::vector<Matrix> matrices;
  for (int i = FusedLinear::kFirstWeight; i < node->num_inputs(); i += 2) {
    const Tensor* w = node->constant(i);
    if (w == nullptr || w->dtype() != DType::kFloat32) {
      return Unsupported("its weights are not float32 constants");
    }
    matrices.push_back({w->data<float>(), w->dim(op.transB ? 0 : 1)});
  }
  const int64_t channels = node->tile().channels;
  const Packing packing = {sizes.depth, op.transB != 0, channels,
                           RoundUp(sizes.columns, channels) * sizes.depth};
  return node->Weights("weights", packing.count, [&](float* packed) {
    PackMatrices(matrices, packing, packed);
  });
}

// The biases side by side, zeros where a layer has none.
Result<BufferNumber> BiasOf(const FusedLinear& op, NodeLowering* node) {
  std::vector<float> bias;
  for (int i = FusedLinear::kFirstWeight; i < node->num_inputs(); i += 2) {
    const int64_t n = node->in(i)[op.transB ? 0 : 1];
    const Tensor* b = node->constant(i + 1);
    if (node->has(i + 1) && b == nullptr) {
      return Unsupported("its bias is not constant");
    }
    if (b != nullptr) {
      bias.insert(bias.end(), b->data<float>(), b->data<float>() + n);
    } else {
      bias.resize(bias.size() + static_cast<size_t>(n));
    }
  }
  return node->Weights(
      "bias", static_cast<int64_t>(bias.size()),
      [&](float* to) { std::copy(bias.begin(), bias.end(), to); });
}

OpenClLaunch LaunchOf(const LinearSizes& sizes, const OpenClTile& tile) {
  const int64_t blocks = CeilDiv(sizes.columns, tile.channels);
  OpenClLaunch launch;
  launch.kernel = sizes.rows == 1 ? "linear_row" : "linear";
  launch.counts_groups = sizes.rows == 1;
  launch.items[0] = blocks * CeilDiv(sizes.rows, tile.pixels);
  if (sizes.rows == 1) launch.items[0] = blocks;
  return launch;
}

// Batch dimensions of a product and steps of the operands along them.
Result<Strided> BatchOf(const Shape& a, const Shape& b, const Shape& out,
                        size_t out_matrix) {
  const Shape dims(out.begin(), out.end() - static_cast<int64_t>(out_matrix));
  const auto steps_of = [&](const Shape& operand) {
    const size_t own = std::min<size_t>(operand.size(), 2);
    Shape batch(operand.begin(), operand.end() - static_cast<int64_t>(own));
    std::vector<int64_t> steps = BroadcastStrides(dims, batch);
    int64_t matrix = 1;
    for (size_t d = operand.size() - own; d < operand.size(); ++d) {
      matrix *= operand[d];
    }
    for (int64_t& step : steps) step *= matrix;
    return steps;
  };
  return MergeForKernels(dims, {steps_of(a), steps_of(b)});
}

}  // namespace

Status LowerFusedLinear(NodeLowering* node) {
  const FusedLinear& op = node->op<FusedLinear>();
  LinearSizes sizes;
  sizes.depth = node->in(0).back();
  for (int64_t dim : node->in(0)) sizes.rows *= dim;
  sizes.rows /= std::max<int64_t>(1, sizes.depth);
  for (int i = FusedLinear::kFirstWeight; i < node->num_inputs(); i += 2) {
    sizes.columns += node->in(i)[op.transB ? 0 : 1];
  }
  Shape product = node->in(0);
  product.back() = sizes.columns;
  const bool plain =
      !node->has(1) || (node->in(1) == product && node->out() == product);
  STINT_ASSIGN_OR_RETURN(const BufferNumber x, node->Input(0));
  STINT_ASSIGN_OR_RETURN(const BufferNumber w, WeightsOf(op, sizes, node));
  STINT_ASSIGN_OR_RETURN(const BufferNumber bias, BiasOf(op, node));
  BufferNumber residual = x;
  if (node->has(1)) {
    STINT_ASSIGN_OR_RETURN(residual, node->Input(1));
  }
  const BufferNumber y =
      plain ? node->Output() : node->Temporary(sizes.rows * sizes.columns);
  const Activation activation = plain ? ActivationOf(op) : Activation::None();
  OpenClLaunch launch = LaunchOf(sizes, node->tile());
  launch.arguments = {
      x,
      w,
      bias,
      residual,
      y,
      Int4{Narrow(sizes.rows), Narrow(sizes.columns), Narrow(sizes.depth),
           Narrow(CeilDiv(sizes.columns, node->tile().channels))},
      Int4{1, plain && node->has(1), static_cast<cl_int>(activation.curve)},
      Float2{activation.lo, activation.hi}};
  if (launch.counts_groups) {
    launch.arguments.push_back(LocalFloats{node->tile().channels});
  }
  node->Launch(std::move(launch));
  if (plain) return OkStatus();
  STINT_RETURN_IF_ERROR(AddBinary(
      "Add",
      {{y, product}, {residual, node->in(1)}, {node->Output(), node->out()}},
      node));
  return AddActivation(ActivationOf(op), node);
}

Status LowerMatMul(NodeLowering* node) {
  STINT_ASSIGN_OR_RETURN(const BufferNumber a, node->Input(0));
  STINT_ASSIGN_OR_RETURN(const BufferNumber b, node->Input(1));
  const Shape& left = node->in(0);
  const Shape& right = node->in(1);
  const int64_t k = left.back();
  const int64_t m = left.size() > 1 ? left[left.size() - 2] : 1;
  const int64_t n = right.size() > 1 ? right.back() : 1;
  const size_t matrix =
      (left.size() > 1 ? 1u : 0u) + (right.size() > 1 ? 1 : 0);
  STINT_ASSIGN_OR_RETURN(const Strided batch,
                         BatchOf(left, right, node->out(), matrix));
  return AddProduct({{m, n, k}, {k, 1, n, 1}, batch, 1.0f},
                    {a, b, node->Output()}, node);
}

Status LowerGemm(NodeLowering* node) {
  const Gemm& op = node->op<Gemm>();
  STINT_ASSIGN_OR_RETURN(const BufferNumber a, node->Input(0));
  STINT_ASSIGN_OR_RETURN(const BufferNumber b, node->Input(1));
  const int64_t m = node->out()[0];
  const int64_t n = node->out()[1];
  const int64_t k = node->in(0)[op.transA ? 0 : 1];
  STINT_ASSIGN_OR_RETURN(const Strided batch, MergeForKernels({}, {{}, {}}));
  const DeviceMatMul product = {{m, n, k},
                                {op.transA ? 1 : k, op.transA ? m : 1,
                                 op.transB ? 1 : n, op.transB ? k : 1},
                                batch,
                                op.alpha};
  if (!node->has(2) || op.beta == 0) {
    return AddProduct(product, {a, b, node->Output()}, node);
  }
  const BufferNumber y = node->Temporary(m * n);
  STINT_RETURN_IF_ERROR(AddProduct(product, {a, b, y}, node));
  STINT_ASSIGN_OR_RETURN(BufferNumber c, node->Input(2));
  if (op.beta != 1) {
    STINT_ASSIGN_OR_RETURN(const cl_int size, CountOf(node->in(2)));
    const BufferNumber scaled = node->Temporary(size);
    AddUnary("scale", {op.beta}, {c, scaled, size}, node);
    c = scaled;
  }
  return AddBinary(
      "Add", {{y, {m, n}}, {c, node->in(2)}, {node->Output(), node->out()}},
      node);
}

}  // namespace stint
