#pragma once
// The fp32 elementwise kernels, best first: a row hands out one function per
// operation, picked once when a session is prepared.

#include <cstdint>
#include <limits>
#include <span>

#include "core/platform/cpu_info.h"

namespace stint {

enum class UnaryOp {
  kAbs,
  kNeg,
  kSqrt,
  kReciprocal,
  kSquare,
  kRelu,
  kClip,       // to [alpha, beta]
  kLeakyRelu,  // x < 0 ? alpha * x : x
  kElu,        // x < 0 ? alpha * (e^x - 1) : x
  kExp,
  kErf,
  kTanh,
  kSigmoid,
  kSilu,         // x * sigmoid(x)
  kGeluErf,      // x / 2 * (1 + erf(x / sqrt 2))
  kGeluTanh,     // its tanh approximation
  kHardSigmoid,  // clamp(alpha * x + beta, 0, 1)
  kHardSwish,    // x * clamp(x / 6 + 0.5, 0, 1)
};
inline constexpr int kUnaryOps = static_cast<int>(UnaryOp::kHardSwish) + 1;

enum class BinaryOp { kAdd, kSub, kMul, kDiv, kMax, kMin };
inline constexpr int kBinaryOps = static_cast<int>(BinaryOp::kMin) + 1;

struct UnaryF32Args {
  const float* x = nullptr;  // [count]
  float* y = nullptr;        // [count]
  int64_t count = 0;
  float alpha = 0;
  float beta = 0;
};
using UnaryF32Fn = void (*)(const UnaryF32Args& args);

// One operand of [rows, cols]: a matrix has strides (cols, 1), a row vector
// (0, 1), a column (1, 0), a scalar (0, 0).
struct BinaryOperand {
  const float* data = nullptr;
  int64_t row_stride = 0;
  int64_t col_stride = 0;  // 0 or 1
};

struct BinaryF32Args {
  BinaryOperand a = {};
  BinaryOperand b = {};
  float* out = nullptr;  // [rows, cols], `row_stride` floats between rows
  int64_t row_stride = 0;
  int64_t rows = 0;
  int64_t cols = 0;
  // The result is clamped: a following Relu or Clip costs nothing.
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
};
using BinaryF32Fn = void (*)(const BinaryF32Args& args);

struct EltwiseF32Kernel {
  const char* name;
  Isa isa;
  UnaryF32Fn (*unary)(UnaryOp op);
  BinaryF32Fn (*binary)(BinaryOp op);
};

std::span<const EltwiseF32Kernel> EltwiseF32Table();
const EltwiseF32Kernel& PickEltwiseF32(Isa cap);

}  // namespace stint
