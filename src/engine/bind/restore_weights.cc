#include "engine/bind/restore_weights.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/conv_blocked_f32/layout.h"
#include "kernels/conv_sparse_f32/layout.h"
#include "kernels/gemm_f32/gemm_f32.h"

namespace stint {
namespace {

bool IsMissing(const Graph& graph, ValueId id) {
  return id.valid() && graph.value(id).constant &&
         !graph.value(id).constant->has_elements();
}

// Columns [first, first + n) of a [k, columns] matrix as a part of a layer.
Result<Tensor> CutPart(const std::vector<float>& joined, int64_t columns,
                       int64_t first, const Tensor& shell, bool transposed) {
  STINT_ASSIGN_OR_RETURN(Tensor part,
                         Tensor::Allocate(DType::kFloat32, shell.shape()));
  const int64_t k = shell.dim(transposed ? 1 : 0);
  const int64_t n = shell.dim(transposed ? 0 : 1);
  float* out = part.data<float>();
  for (int64_t p = 0; p < k; ++p) {
    const float* row = joined.data() + p * columns + first;
    for (int64_t j = 0; j < n; ++j) {
      out[transposed ? j * k + p : p * n + j] = row[j];
    }
  }
  return part;
}

// Weights are the inputs before `end`.
Result<bool> RestoreLinear(const FusedLinear& op, const Node& node, size_t end,
                           const PackedWeights& packed, Graph* graph) {
  const bool transposed = op.transB != 0;
  const auto shell = [&](size_t i) -> const Tensor& {
    return *graph->value(node.inputs[i]).constant;
  };
  int64_t columns = 0;
  for (size_t i = FusedLinear::kFirstWeight; i < end; i += 2) {
    if (!graph->value(node.inputs[i]).constant) return false;
    columns += shell(i).dim(transposed ? 0 : 1);
  }
  const int64_t k = shell(FusedLinear::kFirstWeight).dim(transposed ? 1 : 0);
  const auto joined = UnpackMatrix(packed, k, columns);
  if (!joined) return false;
  int64_t first = 0;
  for (size_t i = FusedLinear::kFirstWeight; i < end; i += 2) {
    STINT_ASSIGN_OR_RETURN(
        Tensor part, CutPart(*joined, columns, first, shell(i), transposed));
    first += shell(i).dim(transposed ? 0 : 1);
    graph->value(node.inputs[i]).constant = std::move(part);
  }
  return true;
}

Result<bool> RestoreConv(const Conv& op, const Node& node,
                         const PackedWeights& packed, Graph* graph) {
  auto& constant = graph->value(node.inputs[1]).constant;
  STINT_ASSIGN_OR_RETURN(auto w,
                         UnpackKernels(packed, constant->shape(), op.group));
  if (!w) return false;
  constant = std::move(*w);
  return true;
}

Result<bool> RestoreNode(const Node& node, const PackedWeights& packed,
                         Graph* graph) {
  if (const auto* linear = As<FusedLinear>(node.op)) {
    return RestoreLinear(*linear, node, node.inputs.size(), packed, graph);
  }
  if (const auto* normed = As<FusedLinearNorm>(node.op)) {
    return RestoreLinear(*normed, node, FusedLinearNorm::kScale, packed, graph);
  }
  if (const auto* conv = As<FusedConv>(node.op)) {
    return RestoreConv(*conv, node, packed, graph);
  }
  return false;
}

// From [n, k] without zeros to [k, n].
std::optional<std::vector<float>> UnpackSparseMatrix(
    const PackedWeights& packed, int64_t k, int64_t n) {
  ConvF32Shape shape;
  shape.in_channels = k;
  shape.out_channels = n;
  const int rows = ParseSparseLayout(packed.layout);
  if (!IsSparse(rows, packed.parts, shape)) return std::nullopt;
  std::vector<float> by_output(static_cast<size_t>(k * n));
  UnpackSparse(rows, packed.parts, shape, by_output.data());
  std::vector<float> matrix(by_output.size());
  for (int64_t o = 0; o < n; ++o) {
    for (int64_t i = 0; i < k; ++i) matrix[i * n + o] = by_output[o * k + i];
  }
  return matrix;
}

}  // namespace

bool CanUnpack(std::string_view layout) {
  return ParseGemmF32Layout(layout) || ConvBlockedF32CanUnpack(layout) ||
         ParseSparseLayout(layout) > 0;
}

std::optional<std::vector<float>> UnpackMatrix(const PackedWeights& packed,
                                               int64_t k, int64_t n) {
  if (ParseSparseLayout(packed.layout) > 0)
    return UnpackSparseMatrix(packed, k, n);
  const auto tile = ParseGemmF32Layout(packed.layout);
  if (!tile || !HasPart(packed, 0, DType::kFloat32, RoundUp(n, *tile) * k)) {
    return std::nullopt;
  }
  std::vector<float> matrix(static_cast<size_t>(k * n));
  GemmF32UnpackB(*tile, n, k, packed.parts[0].data<float>(), matrix.data());
  return matrix;
}

Result<std::optional<Tensor>> UnpackKernels(const PackedWeights& packed,
                                            const Shape& dims, int64_t groups) {
  using Nothing = std::optional<Tensor>;
  if (dims.size() != 4) return Nothing();
  ConvF32Shape shape;
  shape.groups = groups;
  shape.in_channels = dims[1] * groups;
  shape.out_channels = dims[0];
  shape.kernel_h = dims[2];
  shape.kernel_w = dims[3];
  STINT_ASSIGN_OR_RETURN(Tensor w, Tensor::Allocate(DType::kFloat32, dims));
  const int rows = ParseSparseLayout(packed.layout);
  if (rows > 0) {
    if (groups != 1 || !IsSparse(rows, packed.parts, shape)) return Nothing();
    UnpackSparse(rows, packed.parts, shape, w.data<float>());
    return std::optional<Tensor>(std::move(w));
  }
  if (packed.parts.size() != 1) return Nothing();
  const Tensor& from = packed.parts[0];
  if (from.dtype() != DType::kFloat32 || !from.has_elements()) {
    return Nothing();
  }
  const std::span<const float> floats(from.data<float>(),
                                      static_cast<size_t>(from.size()));
  if (!ConvBlockedF32Unpack(packed.layout, shape, floats, w.data<float>())) {
    return Nothing();
  }
  return std::optional<Tensor>(std::move(w));
}

Status RestoreWeights(const PackedTable& packed, Graph* graph) {
  for (NodeId id : graph->order()) {
    const Node& node = graph->node(id);
    const auto missing = [&](ValueId in) { return IsMissing(*graph, in); };
    if (std::none_of(node.inputs.begin(), node.inputs.end(), missing)) continue;
    const auto it = packed.find(node.name);
    if (it == packed.end()) {
      return InvalidArgument(Describe(node) + " has no weights");
    }
    STINT_ASSIGN_OR_RETURN(const bool done,
                           RestoreNode(node, it->second, graph));
    if (!done) {
      return Unsupported(Describe(node) + ": weights packed as '" +
                         it->second.layout + "' have no way back");
    }
  }
  return OkStatus();
}

}  // namespace stint
