#include "model/ops/elementwise/unary.h"

namespace stint {
namespace {

constexpr UnaryName kNames[] = {
    {UnaryKind::kAbs, "Abs"},
    {UnaryKind::kAcos, "Acos"},
    {UnaryKind::kAcosh, "Acosh"},
    {UnaryKind::kAsin, "Asin"},
    {UnaryKind::kAsinh, "Asinh"},
    {UnaryKind::kAtan, "Atan"},
    {UnaryKind::kAtanh, "Atanh"},
    {UnaryKind::kBitwiseNot, "BitwiseNot"},
    {UnaryKind::kCeil, "Ceil"},
    {UnaryKind::kCos, "Cos"},
    {UnaryKind::kCosh, "Cosh"},
    {UnaryKind::kErf, "Erf"},
    {UnaryKind::kExp, "Exp"},
    {UnaryKind::kFloor, "Floor"},
    {UnaryKind::kHardSwish, "HardSwish"},
    {UnaryKind::kIdentity, "Identity"},
    {UnaryKind::kIsNaN, "IsNaN"},
    {UnaryKind::kLog, "Log"},
    {UnaryKind::kMish, "Mish"},
    {UnaryKind::kNeg, "Neg"},
    {UnaryKind::kNot, "Not"},
    {UnaryKind::kReciprocal, "Reciprocal"},
    {UnaryKind::kRelu, "Relu"},
    {UnaryKind::kRound, "Round"},
    {UnaryKind::kSigmoid, "Sigmoid"},
    {UnaryKind::kSign, "Sign"},
    {UnaryKind::kSin, "Sin"},
    {UnaryKind::kSinh, "Sinh"},
    {UnaryKind::kSoftplus, "Softplus"},
    {UnaryKind::kSoftsign, "Softsign"},
    {UnaryKind::kSqrt, "Sqrt"},
    {UnaryKind::kTan, "Tan"},
    {UnaryKind::kTanh, "Tanh"},
};

}  // namespace

std::span<const UnaryName> KindNames(const Unary*) { return kNames; }

Status Infer(const Unary& op, InferContext& ctx) {
  ValueType type = ctx.in(0);
  if (op.kind == UnaryKind::kIsNaN || op.kind == UnaryKind::kNot) {
    type.dtype = DType::kBool;
  }
  ctx.SetOutput(0, type);
  return OkStatus();
}

}  // namespace stint
