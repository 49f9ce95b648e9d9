#include <cmath>

#include "engine/reference/elementwise/elementwise.h"
#include "engine/reference/map_elements.h"

namespace stint {
namespace {

Status BadType(DType dtype) {
  return Unsupported("element type " + std::string(DTypeName(dtype)));
}

template <typename T>
using Function = T (*)(T, T);

// Unsigned arithmetic wraps and so defines signed overflow; division by zero
// of integers gives 0.
template <typename T>
Function<T> ArithmeticFunction(BinaryKind kind) {
  using U = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>;
  switch (kind) {
    case BinaryKind::kAdd:
      return [](T a, T b) { return T(U(a) + U(b)); };
    case BinaryKind::kSub:
      return [](T a, T b) { return T(U(a) - U(b)); };
    case BinaryKind::kMul:
      return [](T a, T b) { return T(U(a) * U(b)); };
    case BinaryKind::kDiv:
      return [](T a, T b) {
        if constexpr (std::is_integral_v<T>) {
          if (b == 0) return T(0);
          if (b == T(-1)) return T(std::is_signed_v<T> ? U(0) - U(a) : a / b);
        }
        return T(a / b);
      };
    case BinaryKind::kPRelu:
      return [](T a, T b) { return a < T(0) ? T(U(a) * U(b)) : a; };
    case BinaryKind::kBitwiseAnd:
    case BinaryKind::kBitwiseOr:
    case BinaryKind::kBitwiseXor:
      if constexpr (std::is_integral_v<T>) {
        if (kind == BinaryKind::kBitwiseAnd) {
          return [](T a, T b) { return a & b; };
        }
        if (kind == BinaryKind::kBitwiseOr) {
          return [](T a, T b) { return a | b; };
        }
        return [](T a, T b) { return a ^ b; };
      }
      return nullptr;
    default:
      return nullptr;
  }
}

template <typename T>
using Predicate = bool (*)(T, T);

template <typename T>
Predicate<T> PredicateFunction(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::kEqual:
      return [](T a, T b) { return a == b; };
    case BinaryKind::kGreater:
      return [](T a, T b) { return a > b; };
    case BinaryKind::kGreaterOrEqual:
      return [](T a, T b) { return a >= b; };
    case BinaryKind::kLess:
      return [](T a, T b) { return a < b; };
    case BinaryKind::kLessOrEqual:
      return [](T a, T b) { return a <= b; };
    case BinaryKind::kAnd:
      return [](T a, T b) { return a != T(0) && b != T(0); };
    case BinaryKind::kOr:
      return [](T a, T b) { return a != T(0) || b != T(0); };
    case BinaryKind::kXor:
      return [](T a, T b) { return (a != T(0)) != (b != T(0)); };
    default:
      return nullptr;
  }
}

template <typename T>
T IntegerPower(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0)
      return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  }
  uint64_t result = 1;
  uint64_t factor = static_cast<uint64_t>(base);
  for (uint64_t e = static_cast<uint64_t>(exponent); e > 0; e >>= 1) {
    if (e & 1) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

// The exponent may have another element type than the base, which decides the
// result's.
Status EvalPow(EvalContext& ctx) {
  const Tensor& a = ctx.in(0);
  const Tensor& b = ctx.in(1);
  const bool integers = !IsFloat(a.dtype()) && !IsFloat(b.dtype());
  if (integers) {
    MapBroadcast<int64_t, int64_t>(a, b, &ctx.out(0), IntegerPower<int64_t>);
  } else if (a.dtype() == DType::kFloat64 || b.dtype() == DType::kFloat64 ||
             !IsFloat(a.dtype())) {
    MapBroadcast<double, double>(
        a, b, &ctx.out(0), [](double x, double y) { return std::pow(x, y); });
  } else {
    MapBroadcast<float, float>(a, b, &ctx.out(0),
                               [](float x, float y) { return std::pow(x, y); });
  }
  return OkStatus();
}

Status EvalStrings(BinaryKind kind, EvalContext& ctx) {
  if (kind != BinaryKind::kEqual) return BadType(DType::kString);
  const BroadcastWalk walk(ctx.out(0).shape(),
                           {&ctx.in(0).shape(), &ctx.in(1).shape()});
  bool* out = ctx.out(0).data<bool>();
  MapStrings(ctx.in(0), ctx.in(1), walk.run_length(), walk,
             [&](int64_t at, const std::string& a, const std::string& b) {
               out[at] = a == b;
             });
  return OkStatus();
}

}  // namespace

Status Eval(const Binary& op, EvalContext& ctx) {
  const Tensor& a = ctx.in(0);
  const Tensor& b = ctx.in(1);
  if (a.dtype() == DType::kString) return EvalStrings(op.kind, ctx);
  if (op.kind == BinaryKind::kPow) return EvalPow(ctx);
  return VisitCompute(a.dtype(), [&]<typename T>() -> Status {
    if (const auto predicate = PredicateFunction<T>(op.kind)) {
      MapBroadcast<T, uint64_t>(a, b, &ctx.out(0), [&](T x, T y) {
        return static_cast<uint64_t>(predicate(x, y));
      });
      return OkStatus();
    }
    const auto function = ArithmeticFunction<T>(op.kind);
    if (function == nullptr) return BadType(a.dtype());
    MapBroadcast<T, T>(a, b, &ctx.out(0), function);
    return OkStatus();
  });
}

Status Eval(const Mod& op, EvalContext& ctx) {
  return VisitCompute(ctx.in(0).dtype(), [&]<typename T>() -> Status {
    const bool c_style = op.fmod != 0;
    MapBroadcast<T, T>(ctx.in(0), ctx.in(1), &ctx.out(0), [&](T a, T b) -> T {
      if constexpr (std::is_integral_v<T>) {
        if (b == 0 || b == T(-1))
          return std::is_signed_v<T> || b == 0 ? T(0) : a % b;
        const T rest = a % b;
        const bool fix = !c_style && rest != 0 && ((rest < 0) != (b < 0));
        return fix ? rest + b : rest;
      } else {
        const T rest = std::fmod(a, b);
        const bool fix = !c_style && rest != 0 && ((rest < 0) != (b < 0));
        return fix ? rest + b : rest;
      }
    });
    return OkStatus();
  });
}

Status Eval(const BitShift& op, EvalContext& ctx) {
  const bool left = op.direction == "LEFT";
  MapBroadcast<uint64_t, uint64_t>(ctx.in(0), ctx.in(1), &ctx.out(0),
                                   [&](uint64_t a, uint64_t b) {
                                     if (b > 63) return uint64_t{0};
                                     return left ? a << b : a >> b;
                                   });
  return OkStatus();
}

namespace {

template <typename T>
Function<T> VariadicFunction(VariadicKind kind) {
  switch (kind) {
    case VariadicKind::kMax:
      return [](T a, T b) { return a > b || a != a ? a : b; };
    case VariadicKind::kMin:
      return [](T a, T b) { return a < b || a != a ? a : b; };
    case VariadicKind::kMean:
    case VariadicKind::kSum:
      return ArithmeticFunction<T>(BinaryKind::kAdd);
  }
  return nullptr;
}

}  // namespace

Status Eval(const Variadic& op, EvalContext& ctx) {
  Tensor& out = ctx.out(0);
  return VisitCompute(out.dtype(), [&]<typename T>() -> Status {
    const auto function = VariadicFunction<T>(op.kind);
    MapBroadcast<T, T>(ctx.in(0), ctx.in(0), &out, [](T a, T) { return a; });
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      MapBroadcast<T, T>(out, ctx.in(i), &out, function);
    }
    if (op.kind == VariadicKind::kMean) {
      const T count = static_cast<T>(ctx.num_inputs());
      MapElements<T>(out, &out, [&](T x) { return x / count; });
    }
    return OkStatus();
  });
}

Status Eval(const Where&, EvalContext& ctx) {
  const Tensor& condition = ctx.in(0);
  const Tensor& x = ctx.in(1);
  const Tensor& y = ctx.in(2);
  const BroadcastWalk walk(ctx.out(0).shape(),
                           {&condition.shape(), &x.shape(), &y.shape()});
  VisitStorage(x.dtype(), [&]<typename T>() {
    walk.ForEachRun([&](int64_t at, const int64_t* in) {
      const bool* c = condition.data<bool>() + in[0];
      const T* a = x.data<T>() + in[1];
      const T* b = y.data<T>() + in[2];
      T* out = ctx.out(0).data<T>() + at;
      const int64_t sc = walk.repeats(0) ? 0 : 1;
      const int64_t sa = walk.repeats(1) ? 0 : 1;
      const int64_t sb = walk.repeats(2) ? 0 : 1;
      for (int64_t i = 0; i < walk.run_length(); ++i) {
        out[i] = c[i * sc] ? a[i * sa] : b[i * sb];
      }
    });
  });
  return OkStatus();
}

}  // namespace stint
