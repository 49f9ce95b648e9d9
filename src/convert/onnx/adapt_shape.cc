#include "convert/onnx/adapters.h"

namespace stint::onnx {
namespace {

// Axes, sizes, shapes and the like were attributes before they became inputs.
Status MoveAttributeToInput(NodeImport& n, const char* name, size_t input) {
  if (n.Has(name)) n.SetInput(input, n.ConstantInts(n.Ints(name)));
  return n.EmitDefault(FindOp(n.proto().op_type)->Make());
}

Status AxesAttribute(NodeImport& n) {
  return MoveAttributeToInput(n, "axes", 1);
}
Status ReshapeVersion1(NodeImport& n) {
  return MoveAttributeToInput(n, "shape", 1);
}
Status SplitBefore13(NodeImport& n) {
  return MoveAttributeToInput(n, "split", 1);
}

Status ConcatVersion1(NodeImport& n) { return n.EmitDefault(Concat{1}); }

Status SliceVersion1(NodeImport& n) {
  n.SetInput(1, n.ConstantInts(n.Ints("starts")));
  n.SetInput(2, n.ConstantInts(n.Ints("ends")));
  if (n.Has("axes")) n.SetInput(3, n.ConstantInts(n.Ints("axes")));
  return n.EmitDefault(Slice{});
}

Status PadBefore11(NodeImport& n) {
  n.SetInput(1, n.ConstantInts(n.Ints(n.version() == 1 ? "paddings" : "pads")));
  const float value = n.Float("value", 0);
  if (value != 0) {
    const ValueId constant = n.Constant(Tensor::Scalar(value));
    n.SetInput(2, n.Emit(CastLike{}, {constant, n.in(0)}));
  }
  return n.EmitDefault(Pad{});
}

// Inputs tiles (a count) and axis.
Status TileVersion1(NodeImport& n) {
  const Tensor* tiles = n.ConstantInput(1);
  const Tensor* axis = n.ConstantInput(2);
  const ValueType& type = n.graph()->value(n.in(0)).type;
  if (tiles == nullptr || axis == nullptr || !type.ranked ||
      IntsOf(*tiles).size() != 1 || IntsOf(*axis).size() != 1) {
    return Unsupported("tiles and axis that are not constant integers");
  }
  STINT_ASSIGN_OR_RETURN(const int64_t at,
                         NormalizeAxis(IntsOf(*axis)[0], type.rank()));
  std::vector<int64_t> repeats(type.dims.size(), 1);
  repeats[at] = IntsOf(*tiles)[0];
  n.EmitLast(Tile{}, {n.in(0), n.ConstantInts(repeats)});
  return OkStatus();
}

// Without dtype the input's element type is used.
Status EyeLikeAny(NodeImport& n) {
  EyeLike op;
  op.dtype_like = n.Has("dtype") ? 0 : 1;
  return n.EmitDefault(op);
}

constexpr AdapterRow kRows[] = {
    {"", "Squeeze", 1, 11, AxesAttribute},
    {"", "Unsqueeze", 1, 11, AxesAttribute},
    {"", "ReduceL1", 1, 13, AxesAttribute},
    {"", "ReduceL2", 1, 13, AxesAttribute},
    {"", "ReduceLogSum", 1, 13, AxesAttribute},
    {"", "ReduceLogSumExp", 1, 13, AxesAttribute},
    {"", "ReduceMax", 1, 13, AxesAttribute},
    {"", "ReduceMean", 1, 13, AxesAttribute},
    {"", "ReduceMin", 1, 13, AxesAttribute},
    {"", "ReduceProd", 1, 13, AxesAttribute},
    {"", "ReduceSum", 1, 11, AxesAttribute},
    {"", "ReduceSumSquare", 1, 13, AxesAttribute},
    {"", "Reshape", 1, 1, ReshapeVersion1},
    {"", "Split", 1, 11, SplitBefore13},
    {"", "Concat", 1, 1, ConcatVersion1},
    {"", "Slice", 1, 1, SliceVersion1},
    {"", "Pad", 1, 2, PadBefore11},
    {"", "Tile", 1, 1, TileVersion1},
    {"", "EyeLike", 1, kAnyVersion, EyeLikeAny},
};

}  // namespace

std::span<const AdapterRow> ShapeAdapters() { return kRows; }

}  // namespace stint::onnx
