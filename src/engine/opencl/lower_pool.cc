// Pooling, reductions and what works on rows.

#include <algorithm>

#include "engine/opencl/node_lowering.h"
#include "engine/opencl/strided.h"

namespace stint {
namespace {

cl_int Narrow(int64_t value) { return static_cast<cl_int>(value); }

struct PoolArguments {
  Int8 image;
  Int8 window;
  std::array<int64_t, 3> items;
};

template <typename Pool>
Result<PoolArguments> PoolOf(const Pool& op, const NodeLowering& node) {
  const Shape& x = node.in(0);
  if (x.size() > 4) {
    return Unsupported("input " + ToString(x) +
                       ", OpenCL pools one or two spatial dimensions");
  }
  STINT_ASSIGN_OR_RETURN(const Window w, PoolWindow(op, x));
  const bool flat = x.size() == 3;  // height of 1
  const size_t last = flat ? 0 : 1;
  const auto first = [flat](const std::vector<int64_t>& of, int64_t otherwise) {
    return Narrow(flat ? otherwise : of[0]);
  };
  const size_t dims = flat ? 1 : 2;
  PoolArguments arguments;
  arguments.image = {flat ? 1 : Narrow(x[2]),
                     Narrow(x.back()),
                     flat ? 1 : Narrow(node.out()[2]),
                     Narrow(node.out().back()),
                     flat ? 0 : Narrow(w.pads[dims]),
                     Narrow(w.pads[dims + last]),
                     Narrow(x[0] * x[1])};
  arguments.window = {first(w.kernel, 1),    Narrow(w.kernel[last]),
                      first(w.strides, 1),   Narrow(w.strides[last]),
                      first(w.pads, 0),      Narrow(w.pads[last]),
                      first(w.dilations, 1), Narrow(w.dilations[last])};
  arguments.items = {int64_t{arguments.image[2]} * arguments.image[3],
                     x[0] * x[1], 1};
  return arguments;
}

enum class ReduceCode {
  kSum,
  kMean,
  kMax,
  kMin,
  kSumSquare,
  kL1,
  kL2,
  kProduct,
};

Result<ReduceCode> CodeOf(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kSum:
      return ReduceCode::kSum;
    case ReduceKind::kMean:
      return ReduceCode::kMean;
    case ReduceKind::kMax:
      return ReduceCode::kMax;
    case ReduceKind::kMin:
      return ReduceCode::kMin;
    case ReduceKind::kSumSquare:
      return ReduceCode::kSumSquare;
    case ReduceKind::kL1:
      return ReduceCode::kL1;
    case ReduceKind::kL2:
      return ReduceCode::kL2;
    case ReduceKind::kProd:
      return ReduceCode::kProduct;
    case ReduceKind::kLogSum:
    case ReduceKind::kLogSumExp:
      return Unsupported("OpenCL has no kernel for it");
  }
  return InternalError("a kind of reduction that is not known");
}

Status AddReduce(ReduceCode code, const std::vector<int64_t>& axes,
                 NodeLowering* node) {
  const Shape& dims = node->in(0);
  const std::vector<int64_t> steps = StridesOf(dims);
  Shape kept, reduced;
  std::vector<int64_t> kept_steps, reduced_steps;
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool gone = std::find(axes.begin(), axes.end(),
                                static_cast<int64_t>(d)) != axes.end();
    (gone ? reduced : kept).push_back(dims[d]);
    (gone ? reduced_steps : kept_steps).push_back(steps[d]);
  }
  STINT_ASSIGN_OR_RETURN(const Strided outer,
                         MergeForKernels(kept, {kept_steps}));
  STINT_ASSIGN_OR_RETURN(const Strided inner,
                         MergeForKernels(reduced, {reduced_steps}));
  STINT_ASSIGN_OR_RETURN(const cl_int size, CountOf(kept));
  const StridedRuns split = SplitRuns(inner);
  STINT_ASSIGN_OR_RETURN(const BufferNumber x, node->Input(0));
  OpenClLaunch launch;
  launch.kernel = "reduce";
  launch.items[0] = size;
  launch.arguments = {x,
                      node->Output(),
                      size,
                      outer.dims,
                      outer.steps[0],
                      static_cast<cl_int>(outer.rank),
                      Int4{split.length, split.runs, split.steps[0]},
                      split.outer.dims,
                      split.outer.steps[0],
                      static_cast<cl_int>(split.outer.rank),
                      static_cast<cl_int>(code)};
  node->Launch(std::move(launch));
  return OkStatus();
}

}  // namespace

Status LowerMaxPool(NodeLowering* node) {
  if (node->wants(1)) return Unsupported("indices of maxima are asked for");
  STINT_ASSIGN_OR_RETURN(const PoolArguments pool,
                         PoolOf(node->op<MaxPool>(), *node));
  STINT_ASSIGN_OR_RETURN(const BufferNumber x, node->Input(0));
  node->Launch({"max_pool",
                {x, node->Output(), pool.image, pool.window},
                pool.items,
                false,
                true});
  return OkStatus();
}

Status LowerAveragePool(NodeLowering* node) {
  const AveragePool& op = node->op<AveragePool>();
  STINT_ASSIGN_OR_RETURN(const PoolArguments pool, PoolOf(op, *node));
  STINT_ASSIGN_OR_RETURN(const BufferNumber x, node->Input(0));
  node->Launch({"average_pool",
                {x, node->Output(), pool.image, pool.window,
                 cl_int{op.count_include_pad != 0}},
                pool.items,
                false,
                true});
  return OkStatus();
}

Status LowerGlobalPool(NodeLowering* node) {
  std::vector<int64_t> axes;
  for (size_t d = 2; d < node->in(0).size(); ++d) {
    axes.push_back(static_cast<int64_t>(d));
  }
  const bool max = As<GlobalMaxPool>(node->node().op) != nullptr;
  return AddReduce(max ? ReduceCode::kMax : ReduceCode::kMean, axes, node);
}

Status LowerReduce(NodeLowering* node) {
  const Reduce& op = node->op<Reduce>();
  STINT_ASSIGN_OR_RETURN(const ReduceCode code, CodeOf(op.kind));
  STINT_ASSIGN_OR_RETURN(const auto asked, node->Ints(1));
  STINT_ASSIGN_OR_RETURN(
      const auto axes,
      ReduceAxes(op, asked, static_cast<int64_t>(node->in(0).size())));
  return AddReduce(code, axes, node);
}

Status LowerSoftmax(NodeLowering* node) {
  const auto* logarithm = As<LogSoftmax>(node->node().op);
  const Shape& dims = node->in(0);
  STINT_ASSIGN_OR_RETURN(
      const int64_t axis,
      NormalizeAxis(
          logarithm != nullptr ? logarithm->axis : node->op<Softmax>().axis,
          static_cast<int64_t>(dims.size())));
  const int64_t inner =
      ProductOf(dims.data() + axis + 1, dims.data() + dims.size());
  const int64_t length = dims[static_cast<size_t>(axis)];
  STINT_ASSIGN_OR_RETURN(const cl_int size, CountOf(dims));
  const cl_int rows = length == 0 ? 0 : size / Narrow(length);
  STINT_ASSIGN_OR_RETURN(const BufferNumber x, node->Input(0));
  node->Launch({"softmax",
                {x, node->Output(), rows, Narrow(length), Narrow(inner),
                 cl_int{logarithm != nullptr}},
                {rows, 1, 1}});
  return OkStatus();
}

Status LowerLayerNorm(NodeLowering* node) {
  const LayerNormalization& op = node->op<LayerNormalization>();
  const Shape& dims = node->in(0);
  STINT_ASSIGN_OR_RETURN(
      const int64_t axis,
      NormalizeAxis(op.axis, static_cast<int64_t>(dims.size())));
  const Shape row(dims.begin() + axis, dims.end());
  if (node->wants(1) || node->wants(2) || node->in(1) != row) {
    return Unsupported("OpenCL has no kernel for its statistics or a scale " +
                       ToString(node->in(1)));
  }
  STINT_ASSIGN_OR_RETURN(const cl_int length, CountOf(row));
  STINT_ASSIGN_OR_RETURN(const cl_int size, CountOf(dims));
  STINT_ASSIGN_OR_RETURN(const BufferNumber x, node->Input(0));
  STINT_ASSIGN_OR_RETURN(const BufferNumber scale, node->Input(1));
  BufferNumber shift = x;
  if (node->has(2)) {
    STINT_ASSIGN_OR_RETURN(shift, node->Input(2));
  }
  const cl_int rows = length == 0 ? 0 : size / length;
  node->Launch({"layer_norm",
                {x, scale, shift, node->Output(), rows, length,
                 cl_int{node->has(2)}, op.epsilon},
                {rows, 1, 1}});
  return OkStatus();
}

}  // namespace stint
