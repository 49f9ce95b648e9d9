// Functions of elements, and normalization by constants.

#include "engine/opencl/add_steps.h"
#include "engine/opencl/element_functions.h"

namespace stint {
namespace {

// Parameters of the functions that have some.
Result<Float4> ParametersOf(const NodeLowering& node) {
  const Op& op = node.node().op;
  if (const auto* f = As<LeakyRelu>(op)) return Float4{f->alpha};
  if (const auto* f = As<Elu>(op)) return Float4{f->alpha};
  if (const auto* f = As<Celu>(op)) return Float4{f->alpha};
  if (const auto* f = As<Selu>(op)) return Float4{f->alpha, f->gamma};
  if (const auto* f = As<HardSigmoid>(op)) return Float4{f->alpha, f->beta};
  if (const auto* f = As<ThresholdedRelu>(op)) return Float4{f->alpha};
  if (const auto* f = As<Shrink>(op)) return Float4{f->bias, f->lambd};
  if (const auto* f = As<Swish>(op)) return Float4{f->alpha};
  constexpr Activation kAll = Activation();
  if (const auto* f = As<Gelu>(op)) {
    const Curve curve =
        f->approximate == "tanh" ? Curve::kGeluTanh : Curve::kGeluErf;
    return Float4{kAll.lo, kAll.hi, static_cast<cl_float>(curve)};
  }
  if (As<Clip>(op)) {
    STINT_ASSIGN_OR_RETURN(const float lo, node.Number(1, kAll.lo));
    STINT_ASSIGN_OR_RETURN(const float hi, node.Number(2, kAll.hi));
    return Float4{lo, hi};
  }
  return Float4{};
}

bool IsClamp(const Op& op) { return As<Clip>(op) || As<Gelu>(op); }

Status CheckFunction(int number, const Op& op) {
  if (number >= 0) return OkStatus();
  return Unsupported("OpenCL has no kernel for " + std::string(OpName(op)));
}

}  // namespace

Status LowerUnary(NodeLowering* node) {
  const Op& op = node->node().op;
  const auto* unary = As<Unary>(op);
  if (unary != nullptr && unary->kind == UnaryKind::kIdentity) {
    return node->Alias(0, 0);
  }
  const std::string_view function = IsClamp(op) ? "clamp" : OpName(op);
  STINT_RETURN_IF_ERROR(CheckFunction(UnaryFunction(function), op));
  STINT_ASSIGN_OR_RETURN(const Float4 parameters, ParametersOf(*node));
  STINT_ASSIGN_OR_RETURN(const BufferNumber x, node->Input(0));
  STINT_ASSIGN_OR_RETURN(const cl_int size, CountOf(node->out()));
  AddUnary(function, parameters, {x, node->Output(), size}, node);
  return OkStatus();
}

Status LowerBinary(NodeLowering* node) {
  const Op& op = node->node().op;
  STINT_RETURN_IF_ERROR(CheckFunction(BinaryFunction(OpName(op)), op));
  STINT_ASSIGN_OR_RETURN(const BufferNumber a, node->Input(0));
  STINT_ASSIGN_OR_RETURN(const BufferNumber b, node->Input(1));
  return AddBinary(
      OpName(op),
      {{a, node->in(0)}, {b, node->in(1)}, {node->Output(), node->out()}},
      node);
}

Status LowerVariadic(NodeLowering* node) {
  const VariadicKind kind = node->op<Variadic>().kind;
  const bool sums = kind == VariadicKind::kSum || kind == VariadicKind::kMean;
  const std::string_view function = sums                         ? "Add"
                                    : kind == VariadicKind::kMax ? "Max"
                                                                 : "Min";
  if (node->num_inputs() == 1) return node->Alias(0, 0);
  STINT_ASSIGN_OR_RETURN(const BufferNumber first, node->Input(0));
  Operand sum = {first, node->in(0)};
  const Operand y = {node->Output(), node->out()};
  for (int i = 1; i < node->num_inputs(); ++i) {
    STINT_ASSIGN_OR_RETURN(const BufferNumber next, node->Input(i));
    STINT_RETURN_IF_ERROR(
        AddBinary(function, {sum, {next, node->in(i)}, y}, node));
    sum = y;
  }
  if (kind != VariadicKind::kMean) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const cl_int size, CountOf(node->out()));
  AddUnary("scale", {1.0f / static_cast<float>(node->num_inputs())},
           {y.buffer, y.buffer, size}, node);
  return OkStatus();
}

Status LowerBatchNorm(NodeLowering* node) {
  const BatchNormalization& op = node->op<BatchNormalization>();
  if (op.training_mode != 0) return Unsupported("training_mode is 1");
  OpenClLaunch launch;
  launch.kernel = "batch_norm";
  launch.light = true;
  for (int i = 0; i < 5; ++i) {
    STINT_ASSIGN_OR_RETURN(const BufferNumber input, node->Input(i));
    launch.arguments.push_back(input);
  }
  const Shape& dims = node->in(0);
  const int64_t channels = dims.size() > 1 ? dims[1] : 1;
  const int64_t planes = dims[0] * channels;
  int64_t inner = 1;
  for (size_t d = 2; d < dims.size(); ++d) inner *= dims[d];
  launch.items = {inner, planes, 1};
  launch.arguments.insert(
      launch.arguments.end(),
      {node->Output(), static_cast<cl_int>(inner), static_cast<cl_int>(planes),
       static_cast<cl_int>(channels), op.epsilon});
  node->Launch(std::move(launch));
  return OkStatus();
}

}  // namespace stint
