#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/float_bits.h"
#include "engine/reference/elementwise/elementwise.h"
#include "engine/reference/map_elements.h"

namespace stint {
namespace {

// Numbers print as NumPy prints them: shortest text that reads back.
std::string Print(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kBool) {
    return tensor.data<bool>()[i] ? "True" : "False";
  }
  char buffer[64];
  char* end = buffer;
  VisitCompute(tensor.dtype(), [&]<typename T>() {
    T value{};
    LoadElements<T>(tensor, i, 1, &value);
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) {
        end = buffer + std::snprintf(buffer, sizeof(buffer), "NaN");
        return;
      }
      if (std::isinf(value)) {
        end = buffer +
              std::snprintf(buffer, sizeof(buffer), value > 0 ? "INF" : "-INF");
        return;
      }
    }
    end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  });
  return std::string(buffer, end);
}

Status CastToStrings(const Tensor& in, Tensor* out) {
  for (int64_t i = 0; i < in.size(); ++i) {
    out->data<std::string>()[i] =
        in.dtype() == DType::kString ? in.data<std::string>()[i] : Print(in, i);
  }
  return OkStatus();
}

Status CastFromStrings(const Tensor& in, Tensor* out) {
  for (int64_t i = 0; i < in.size(); ++i) {
    const std::string& text = in.data<std::string>()[i];
    char* end = nullptr;
    if (IsFloat(out->dtype())) {
      const double value = std::strtod(text.c_str(), &end);
      StoreElements<double>(&value, i, 1, out);
    } else {
      const int64_t value = std::strtoll(text.c_str(), &end, 10);
      StoreElements<int64_t>(&value, i, 1, out);
    }
    if (end == text.c_str() || *end != '\0') {
      return InvalidArgument("'" + text + "' is not a number");
    }
  }
  return OkStatus();
}

Result<E8M0Rounding> ParseRounding(const std::string& mode) {
  if (mode == "up") return E8M0Rounding::kUp;
  if (mode == "down") return E8M0Rounding::kDown;
  if (mode == "nearest") return E8M0Rounding::kNearest;
  return InvalidArgument("round_mode is '" + mode + "'");
}

// 8-bit floats have a say in saturation and rounding.
Status CastToFloat8(const Tensor& in, bool saturate,
                    const std::string& round_mode, Tensor* out) {
  const std::vector<float> values = ElementsAs<float>(in);
  const Float8Format* format = Float8FormatOf(out->dtype());
  E8M0Rounding rounding = E8M0Rounding::kUp;
  if (format == nullptr) {
    STINT_ASSIGN_OR_RETURN(rounding, ParseRounding(round_mode));
  }
  uint8_t* bytes = out->data<uint8_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    bytes[i] = format != nullptr
                   ? FloatToFloat8(values[i], *format, saturate)
                   : FloatToFloat8E8M0(values[i], saturate, rounding);
  }
  return OkStatus();
}

// int4 and friends from floats round half to even and wrap, as the ONNX
// reference does; wider integers truncate.
bool IsSubByteInteger(DType dtype) {
  return dtype >= DType::kInt4 && dtype <= DType::kUInt2;
}

Status CastTensor(const Tensor& in, bool saturate,
                  const std::string& round_mode, Tensor* out) {
  if (out->dtype() == DType::kString) return CastToStrings(in, out);
  if (in.dtype() == DType::kString) return CastFromStrings(in, out);
  if (Float8FormatOf(out->dtype()) != nullptr ||
      out->dtype() == DType::kFloat8E8M0) {
    return CastToFloat8(in, saturate, round_mode, out);
  }
  VisitCompute(in.dtype(), [&]<typename T>() {
    const bool round =
        IsSubByteInteger(out->dtype()) && std::is_floating_point_v<T>;
    MapElements<T>(in, out, [&](T x) {
      if constexpr (std::is_floating_point_v<T>) {
        if (round) return std::nearbyint(x);
      }
      return x;
    });
  });
  return OkStatus();
}

}  // namespace

Status Eval(const Cast& op, EvalContext& ctx) {
  return CastTensor(ctx.in(0), op.saturate != 0, op.round_mode, &ctx.out(0));
}

Status Eval(const CastLike& op, EvalContext& ctx) {
  return CastTensor(ctx.in(0), op.saturate != 0, op.round_mode, &ctx.out(0));
}

Status Eval(const BitCast&, EvalContext& ctx) {
  if (ctx.in(0).dtype() == DType::kString) {
    return Unsupported("element type string");
  }
  if (ctx.in(0).size() > 0) {
    std::memcpy(ctx.out(0).raw(), ctx.in(0).raw(), ctx.in(0).bytes());
  }
  return OkStatus();
}

}  // namespace stint
