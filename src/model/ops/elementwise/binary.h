#pragma once
// Functions of two elements, or of several, with NumPy broadcasting.

#include <span>
#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

enum class BinaryKind {
  kAdd,
  kAnd,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  kDiv,
  kEqual,
  kGreater,
  kGreaterOrEqual,
  kLess,
  kLessOrEqual,
  kMul,
  kOr,
  kPow,
  kPRelu,
  kSub,
  kXor,
};

struct BinaryName {
  BinaryKind kind;
  std::string_view name;
};

struct Binary {
  BinaryKind kind = BinaryKind::kAdd;
  STINT_FIELDS()
};
// The result is bool: comparisons and logic.
bool IsPredicate(BinaryKind kind);

// fmod = 1: the sign of the dividend (C); 0: of the divisor (Python).
struct Mod {
  static constexpr std::string_view kName = "Mod";
  int64_t fmod = 0;
  STINT_FIELDS(fmod)
};

// direction: "LEFT" or "RIGHT".
struct BitShift {
  static constexpr std::string_view kName = "BitShift";
  std::string direction;
  STINT_FIELDS(direction)
};

enum class VariadicKind { kMax, kMean, kMin, kSum };

struct VariadicName {
  VariadicKind kind;
  std::string_view name;
};

// One or more inputs combined element by element.
struct Variadic {
  VariadicKind kind = VariadicKind::kSum;
  STINT_FIELDS()
};

// Inputs condition (bool), x, y.
struct Where {
  static constexpr std::string_view kName = "Where";
  STINT_FIELDS()
};

// In the order of the enum; the argument only selects the overload.
std::span<const BinaryName> KindNames(const Binary*);
std::span<const VariadicName> KindNames(const Variadic*);

Status Infer(const Binary& op, InferContext& ctx);
Status Infer(const Mod& op, InferContext& ctx);
Status Infer(const BitShift& op, InferContext& ctx);
Status Infer(const Variadic& op, InferContext& ctx);
Status Infer(const Where& op, InferContext& ctx);

}  // namespace stint
