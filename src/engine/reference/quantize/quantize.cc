#include "engine/reference/quantize/quantize.h"

#include <algorithm>
#include <cmath>

#include "core/base/float_bits.h"
#include "core/tensor/element_access.h"
#include "engine/reference/map_elements.h"

namespace stint {
namespace {

// Below this many elements a second thread costs more than it saves.
constexpr int64_t kGrain = 16384;

// The scales and zero points of the elements at hand, one each.
class ScaleRow {
 public:
  ScaleRow(const ScaleGrid& grid, const std::vector<float>& scales,
           const std::vector<float>& zeros)
      : grid_(grid), scales_(scales), zeros_(zeros) {}

  const float* scale() const { return scale_; }
  const float* zero() const { return zero_; }

  // Elements [begin, begin + count), count <= kMapChunk.
  void Load(int64_t begin, int64_t count) {
    if (grid_.one_scale && full_) return;
    if (grid_.one_scale) count = kMapChunk;
    full_ = true;
    int64_t at = 0;
    while (at < count) {
      const int64_t line = grid_.one_scale ? 0 : (begin + at) / grid_.inner;
      const int64_t i = grid_.one_scale ? 0 : (begin + at) % grid_.inner;
      const int64_t run =
          grid_.one_scale ? count : std::min(count - at, grid_.inner - i);
      Fill(line, i, run, at);
      at += run;
    }
  }

 private:
  void Fill(int64_t line, int64_t i, int64_t run, int64_t at) {
    const int64_t first = line / grid_.length * grid_.outer_stride +
                          line % grid_.length / grid_.block * grid_.axis_stride;
    for (int64_t j = 0; j < run; ++j) {
      const int64_t from = first + (i + j) * grid_.inner_stride;
      scale_[at + j] = scales_[from];
      zero_[at + j] = zeros_[from];
    }
  }

  const ScaleGrid& grid_;
  const std::vector<float>& scales_;
  const std::vector<float>& zeros_;
  bool full_ = false;
  float scale_[kMapChunk];
  float zero_[kMapChunk];
};

// What quantizing and dequantizing share: calls body(row, begin, count) for
// chunks of the elements of input 0, on all threads.
template <typename Body>
Status ForEachChunk(int64_t axis, int64_t block_size, EvalContext& ctx,
                    Body body) {
  const Tensor& x = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(
      const ScaleGrid grid,
      MakeScaleGrid(x.shape(), ctx.in(1).shape(), axis, block_size));
  const std::vector<float> scales = ElementsAs<float>(ctx.in(1));
  const std::vector<float> zeros = ctx.has(2)
                                       ? ElementsAs<float>(ctx.in(2))
                                       : std::vector<float>(scales.size(), 0);
  ctx.pool()->ParallelFor(x.size(), kGrain, [&](int64_t begin, int64_t end) {
    ScaleRow row(grid, scales, zeros);
    for (int64_t at = begin; at < end; at += kMapChunk) {
      const int64_t count = std::min(kMapChunk, end - at);
      row.Load(at, count);
      body(row, at, count);
    }
  });
  return OkStatus();
}

// Elements [begin, begin + count) as float, in `buffer` unless they are float.
const float* FloatsAt(const Tensor& x, int64_t begin, int64_t count,
                      float* buffer) {
  if (x.dtype() == DType::kFloat32) return x.data<float>() + begin;
  LoadElements<float>(x, begin, count, buffer);
  return buffer;
}

void RoundTo(DType dtype, int64_t count, float* values) {
  if (dtype == DType::kFloat16) {
    for (int64_t i = 0; i < count; ++i) {
      values[i] = Float16ToFloat(FloatToFloat16(values[i]));
    }
  } else if (dtype == DType::kBFloat16) {
    for (int64_t i = 0; i < count; ++i) {
      values[i] = BFloat16ToFloat(FloatToBFloat16(values[i]));
    }
  }
}

template <typename T>
void StoreQuantized(const float* x, const float* zero, int64_t count,
                    int32_t low, int32_t high, T* out) {
  const float least = static_cast<float>(low);
  const float most = static_cast<float>(high);
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(
        static_cast<int32_t>(SaturateRounded(x[i], zero[i], least, most)));
  }
}

void StoreNarrowFloats(const float* x, int64_t begin, int64_t count,
                       bool saturate, Tensor* out) {
  const Float8Format* format = Float8FormatOf(out->dtype());
  if (format == nullptr) return StoreElements<float>(x, begin, count, out);
  uint8_t* bytes = out->data<uint8_t>() + begin;
  for (int64_t i = 0; i < count; ++i) {
    bytes[i] = FloatToFloat8(x[i], *format, saturate);
  }
}

// x holds quotients. Narrow floats add the zero point before they round.
void StoreQuotients(float* x, const float* zero, int64_t begin, int64_t count,
                    bool saturate, Tensor* out) {
  int32_t low = 0;
  int32_t high = 0;
  if (!QuantizedRange(out->dtype(), &low, &high)) {
    for (int64_t i = 0; i < count; ++i) x[i] += zero[i];
    StoreNarrowFloats(x, begin, count, saturate, out);
  } else if (DTypeSize(out->dtype()) == 1 && low < 0) {
    StoreQuantized(x, zero, count, low, high, out->data<int8_t>() + begin);
  } else if (DTypeSize(out->dtype()) == 1) {
    StoreQuantized(x, zero, count, low, high, out->data<uint8_t>() + begin);
  } else if (low < 0) {
    StoreQuantized(x, zero, count, low, high, out->data<int16_t>() + begin);
  } else {
    StoreQuantized(x, zero, count, low, high, out->data<uint16_t>() + begin);
  }
}

}  // namespace

Status Eval(const QuantizeLinear& op, EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const DType precision = ctx.in(1).dtype();
  return ForEachChunk(op.axis, op.block_size, ctx,
                      [&](const ScaleRow& row, int64_t begin, int64_t count) {
                        float buffer[kMapChunk];
                        float quotient[kMapChunk];
                        const float* x = FloatsAt(in, begin, count, buffer);
                        const float* scale = row.scale();
                        for (int64_t i = 0; i < count; ++i)
                          quotient[i] = x[i] / scale[i];
                        RoundTo(precision, count, quotient);
                        StoreQuotients(quotient, row.zero(), begin, count,
                                       op.saturate != 0, &ctx.out(0));
                      });
}

Status Eval(const DequantizeLinear& op, EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  Tensor& out = ctx.out(0);
  return ForEachChunk(op.axis, op.block_size, ctx,
                      [&](const ScaleRow& row, int64_t begin, int64_t count) {
                        float buffer[kMapChunk];
                        const float* x = FloatsAt(in, begin, count, buffer);
                        const bool direct = out.dtype() == DType::kFloat32;
                        float* y = direct ? out.data<float>() + begin : buffer;
                        const float* scale = row.scale();
                        const float* zero = row.zero();
                        for (int64_t i = 0; i < count; ++i)
                          y[i] = (x[i] - zero[i]) * scale[i];
                        if (!direct)
                          StoreElements<float>(y, begin, count, &out);
                      });
}

Status Eval(const DynamicQuantizeLinear&, EvalContext& ctx) {
  const std::vector<float> x = ElementsAs<float>(ctx.in(0));
  float low = 0;
  float high = 0;
  for (float value : x) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const float scale = high == low ? 1.0f / 255.0f : (high - low) / 255.0f;
  const float zero = SaturateRounded(-low / scale, 0, 0, 255);
  uint8_t* y = ctx.out(0).data<uint8_t>();
  for (size_t i = 0; i < x.size(); ++i) {
    y[i] = static_cast<uint8_t>(SaturateRounded(x[i] / scale, zero, 0, 255));
  }
  if (ctx.num_outputs() > 1) *ctx.out(1).data<float>() = scale;
  if (ctx.num_outputs() > 2) {
    *ctx.out(2).data<uint8_t>() = static_cast<uint8_t>(zero);
  }
  return OkStatus();
}

}  // namespace stint
