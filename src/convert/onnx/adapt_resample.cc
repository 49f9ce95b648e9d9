#include <algorithm>

#include "convert/onnx/adapters.h"
#include "core/tensor/element_access.h"

namespace stint::onnx {
namespace {

// Resize before opset 11, and Upsample: x / scale, rounded down. A nearest
// neighbor was rounded up where the image shrinks.
Status EmitAsymmetric(NodeImport& n, ValueId scales, std::string nearest_mode) {
  Resize op;
  op.mode = n.String("mode", "nearest");
  op.coordinate_transformation_mode = "asymmetric";
  op.nearest_mode = std::move(nearest_mode);
  if (op.mode != "nearest" && op.mode != "linear") {
    return Unsupported("mode '" + op.mode + "'");
  }
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  n.EmitLast(op, {n.in(0), kNoValue, scales});
  return OkStatus();
}

Status UpsampleVersion7(NodeImport& n) {
  const ValueId scales = n.Constant(Tensor::Vector(n.Floats("scales")));
  return EmitAsymmetric(n, scales, "floor");
}

Status UpsampleVersion9(NodeImport& n) {
  if (n.version() == 10) return Unsupported("the operator is deprecated");
  return EmitAsymmetric(n, n.in(1), "floor");
}

Status ResizeVersion10(NodeImport& n) {
  if (n.String("mode", "nearest") != "nearest") {
    return EmitAsymmetric(n, n.in(1), "floor");
  }
  const Tensor* constant = n.ConstantInput(1);
  if (constant == nullptr || constant->dtype() != DType::kFloat32) {
    return Unsupported("version 10 with scales that are not constant");
  }
  const std::vector<float> scales = ElementsAs<float>(*constant);
  const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
  if (scales.empty() || (*least < 1 && *most > 1)) {
    return Unsupported("version 10 that grows and shrinks");
  }
  return EmitAsymmetric(n, n.in(1), *least < 1 ? "ceil" : "floor");
}

Status GridSampleVersion16(NodeImport& n) {
  GridSample op;
  const std::string mode = n.String("mode", "bilinear");
  op.mode = mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode;
  op.padding_mode = n.String("padding_mode", "zeros");
  op.align_corners = n.Int("align_corners", 0);
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  n.EmitLast(op, n.inputs);
  return OkStatus();
}

// Coordinates were not shifted by half a pixel before opset 16.
Status RoiAlignVersion10(NodeImport& n) {
  RoiAlign op;
  op.coordinate_transformation_mode = "output_half_pixel";
  return n.EmitDefault(op);
}

constexpr AdapterRow kRows[] = {
    {"", "Upsample", 7, 7, UpsampleVersion7},
    {"", "Upsample", 9, 10, UpsampleVersion9},
    {"", "Resize", 10, 10, ResizeVersion10},
    {"", "GridSample", 16, 16, GridSampleVersion16},
    {"", "RoiAlign", 10, 10, RoiAlignVersion10},
};

}  // namespace

std::span<const AdapterRow> ResampleAdapters() { return kRows; }

}  // namespace stint::onnx
