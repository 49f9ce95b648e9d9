#pragma once
// Functions of one element without parameters: y[i] = f(x[i]).

#include <span>
#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

enum class UnaryKind {
  kAbs,
  kAcos,
  kAcosh,
  kAsin,
  kAsinh,
  kAtan,
  kAtanh,
  kBitwiseNot,
  kCeil,
  kCos,
  kCosh,
  kErf,
  kExp,
  kFloor,
  kHardSwish,
  kIdentity,
  kIsNaN,
  kLog,
  kMish,
  kNeg,
  kNot,
  kReciprocal,
  kRelu,
  kRound,
  kSigmoid,
  kSign,
  kSin,
  kSinh,
  kSoftplus,
  kSoftsign,
  kSqrt,
  kTan,
  kTanh,
};

struct UnaryName {
  UnaryKind kind;
  std::string_view name;
};
struct Unary {
  UnaryKind kind = UnaryKind::kIdentity;
  STINT_FIELDS()
};

// In the order of the enum; the argument only selects the overload.
std::span<const UnaryName> KindNames(const Unary*);

Status Infer(const Unary& op, InferContext& ctx);

}  // namespace stint
