#include <cmath>
#include <cstring>
#include <numbers>

#include "engine/reference/elementwise/elementwise.h"
#include "engine/reference/map_elements.h"

namespace stint {
namespace {

template <typename T>
T Sigmoid(T x) {
  return x >= 0 ? T(1) / (T(1) + std::exp(-x))
                : std::exp(x) / (T(1) + std::exp(x));
}

// log(1 + exp(x)) without overflow.
template <typename T>
T SoftplusOf(T x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

template <typename T>
using Function = T (*)(T);

template <typename T>
Function<T> FloatFunction(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::kAbs:
      return [](T x) { return std::fabs(x); };
    case UnaryKind::kAcos:
      return [](T x) { return std::acos(x); };
    case UnaryKind::kAcosh:
      return [](T x) { return std::acosh(x); };
    case UnaryKind::kAsin:
      return [](T x) { return std::asin(x); };
    case UnaryKind::kAsinh:
      return [](T x) { return std::asinh(x); };
    case UnaryKind::kAtan:
      return [](T x) { return std::atan(x); };
    case UnaryKind::kAtanh:
      return [](T x) { return std::atanh(x); };
    case UnaryKind::kCeil:
      return [](T x) { return std::ceil(x); };
    case UnaryKind::kCos:
      return [](T x) { return std::cos(x); };
    case UnaryKind::kCosh:
      return [](T x) { return std::cosh(x); };
    case UnaryKind::kErf:
      return [](T x) { return std::erf(x); };
    case UnaryKind::kExp:
      return [](T x) { return std::exp(x); };
    case UnaryKind::kFloor:
      return [](T x) { return std::floor(x); };
    case UnaryKind::kHardSwish:
      return [](T x) {
        return x * std::fmax(T(0), std::fmin(T(1), x / T(6) + T(0.5)));
      };
    case UnaryKind::kIdentity:
      return [](T x) { return x; };
    case UnaryKind::kIsNaN:
      return [](T x) { return T(std::isnan(x)); };
    case UnaryKind::kLog:
      return [](T x) { return std::log(x); };
    case UnaryKind::kMish:
      return [](T x) { return x * std::tanh(SoftplusOf(x)); };
    case UnaryKind::kNeg:
      return [](T x) { return -x; };
    case UnaryKind::kReciprocal:
      return [](T x) { return T(1) / x; };
    case UnaryKind::kRelu:
      return [](T x) { return x < 0 ? T(0) : x; };
    case UnaryKind::kRound:
      return [](T x) { return std::nearbyint(x); };
    case UnaryKind::kSigmoid:
      return Sigmoid<T>;
    case UnaryKind::kSign:
      return [](T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x; };
    case UnaryKind::kSin:
      return [](T x) { return std::sin(x); };
    case UnaryKind::kSinh:
      return [](T x) { return std::sinh(x); };
    case UnaryKind::kSoftplus:
      return SoftplusOf<T>;
    case UnaryKind::kSoftsign:
      return [](T x) { return x / (T(1) + std::fabs(x)); };
    case UnaryKind::kSqrt:
      return [](T x) { return std::sqrt(x); };
    case UnaryKind::kTan:
      return [](T x) { return std::tan(x); };
    case UnaryKind::kTanh:
      return [](T x) { return std::tanh(x); };
    case UnaryKind::kBitwiseNot:
    case UnaryKind::kNot:
      return nullptr;
  }
  return nullptr;
}

// Integers wrap around; computed on the unsigned bits, so negating the least
// value is defined.
Function<int64_t> IntegerFunction(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::kAbs:
      return [](int64_t x) {
        return x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x;
      };
    case UnaryKind::kBitwiseNot:
      return [](int64_t x) { return ~x; };
    case UnaryKind::kNeg:
      return [](int64_t x) {
        return static_cast<int64_t>(-static_cast<uint64_t>(x));
      };
    case UnaryKind::kRelu:
      return [](int64_t x) { return x < 0 ? int64_t{0} : x; };
    case UnaryKind::kSign:
      return [](int64_t x) { return int64_t{x > 0} - int64_t{x < 0}; };
    case UnaryKind::kNot:
      return [](int64_t x) { return int64_t{x == 0}; };
    default:
      return nullptr;
  }
}

Function<uint64_t> UnsignedFunction(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::kAbs:
    case UnaryKind::kRelu:
      return [](uint64_t x) { return x; };
    case UnaryKind::kBitwiseNot:
      return [](uint64_t x) { return ~x; };
    case UnaryKind::kSign:
      return [](uint64_t x) { return uint64_t{x > 0}; };
    case UnaryKind::kNot:
      return [](uint64_t x) { return uint64_t{x == 0}; };
    default:
      return nullptr;
  }
}

template <typename T>
Function<T> FunctionFor(UnaryKind kind) {
  if constexpr (std::is_same_v<T, int64_t>) return IntegerFunction(kind);
  if constexpr (std::is_same_v<T, uint64_t>) return UnsignedFunction(kind);
  if constexpr (std::is_floating_point_v<T>) return FloatFunction<T>(kind);
}

// Parametric activations share this loop.
template <typename F>
Status EvalFloat(EvalContext& ctx, F f) {
  if (!IsFloat(ctx.in(0).dtype())) {
    return Unsupported("element type " +
                       std::string(DTypeName(ctx.in(0).dtype())));
  }
  VisitFloatCompute(ctx.in(0).dtype(), [&]<typename T>() {
    MapElements<T>(ctx.in(0), &ctx.out(0), f);
  });
  return OkStatus();
}

}  // namespace

Status Eval(const Unary& op, EvalContext& ctx) {
  if (op.kind == UnaryKind::kIdentity) {
    if (!ctx.in_value(0).is_tensor()) {
      ctx.SetOutput(0, ctx.in_value(0));
      return OkStatus();
    }
    VisitStorage(ctx.in(0).dtype(), [&]<typename T>() {
      std::copy_n(ctx.in(0).data<T>(), ctx.in(0).size(), ctx.out(0).data<T>());
    });
    return OkStatus();
  }
  const DType dtype = ctx.in(0).dtype();
  if (dtype == DType::kString) return Unsupported("element type string");
  return VisitCompute(dtype, [&]<typename T>() -> Status {
    const Function<T> f = FunctionFor<T>(op.kind);
    if (f == nullptr) {
      return Unsupported("element type " + std::string(DTypeName(dtype)));
    }
    MapElements<T>(ctx.in(0), &ctx.out(0), f);
    return OkStatus();
  });
}

Status Eval(const LeakyRelu& op, EvalContext& ctx) {
  return EvalFloat(
      ctx, [a = op.alpha]<typename T>(T x) { return x < 0 ? x * T(a) : x; });
}
Status Eval(const Elu& op, EvalContext& ctx) {
  return EvalFloat(ctx, [a = op.alpha]<typename T>(T x) {
    return x < 0 ? T(a) * (std::exp(x) - T(1)) : x;
  });
}
Status Eval(const Celu& op, EvalContext& ctx) {
  return EvalFloat(ctx, [a = op.alpha]<typename T>(T x) {
    return std::fmax(T(0), x) +
           std::fmin(T(0), T(a) * (std::exp(x / T(a)) - T(1)));
  });
}
Status Eval(const Selu& op, EvalContext& ctx) {
  return EvalFloat(ctx, [a = op.alpha, g = op.gamma]<typename T>(T x) {
    return T(g) * (x > 0 ? x : T(a) * std::exp(x) - T(a));
  });
}
Status Eval(const HardSigmoid& op, EvalContext& ctx) {
  return EvalFloat(ctx, [a = op.alpha, b = op.beta]<typename T>(T x) {
    return std::fmax(T(0), std::fmin(T(1), T(a) * x + T(b)));
  });
}
Status Eval(const ThresholdedRelu& op, EvalContext& ctx) {
  return EvalFloat(
      ctx, [a = op.alpha]<typename T>(T x) { return x > T(a) ? x : T(0); });
}
Status Eval(const Swish& op, EvalContext& ctx) {
  return EvalFloat(
      ctx, [a = op.alpha]<typename T>(T x) { return x * Sigmoid(T(a) * x); });
}

Status Eval(const Shrink& op, EvalContext& ctx) {
  const auto shrink = [&op]<typename T>(T x) -> T {
    const double value = static_cast<double>(x);
    const double lambda = static_cast<double>(op.lambd);
    if (value < -lambda) return static_cast<T>(value + op.bias);
    if (value > lambda) return static_cast<T>(value - op.bias);
    return T(0);
  };
  VisitCompute(ctx.in(0).dtype(), [&]<typename T>() {
    MapElements<T>(ctx.in(0), &ctx.out(0), shrink);
  });
  return OkStatus();
}

Status Eval(const Gelu& op, EvalContext& ctx) {
  if (op.approximate == "tanh") {
    return EvalFloat(ctx, []<typename T>(T x) {
      const T inner = T(std::numbers::sqrt2 * std::numbers::inv_sqrtpi) *
                      (x + T(0.044715) * x * x * x);
      return T(0.5) * x * (T(1) + std::tanh(inner));
    });
  }
  return EvalFloat(ctx, []<typename T>(T x) {
    return T(0.5) * x * (T(1) + std::erf(x / T(std::numbers::sqrt2)));
  });
}

Status Eval(const IsInf& op, EvalContext& ctx) {
  return EvalFloat(ctx, [&op]<typename T>(T x) {
    return T(std::isinf(x) &&
             (x > 0 ? op.detect_positive != 0 : op.detect_negative != 0));
  });
}

Status Eval(const Clip&, EvalContext& ctx) {
  VisitCompute(ctx.in(0).dtype(), [&]<typename T>() {
    const bool has_min = ctx.has(1);
    const bool has_max = ctx.has(2);
    const T low = has_min ? ScalarAs<T>(ctx.in(1)) : T{};
    const T high = has_max ? ScalarAs<T>(ctx.in(2)) : T{};
    MapElements<T>(ctx.in(0), &ctx.out(0), [&](T x) {
      if (has_min && x < low) x = low;
      if (has_max && x > high) x = high;
      return x;
    });
  });
  return OkStatus();
}

}  // namespace stint
