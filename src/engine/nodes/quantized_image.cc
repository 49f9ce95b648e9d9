#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"
#include "engine/nodes/nodes.h"
#include "kernels/image_u8/image_u8.h"

namespace stint {
namespace {

// Bytes below which a second thread costs more than it saves.
constexpr int64_t kGrainBytes = 16 * 1024;

int Zero(int64_t zero) { return static_cast<int>(zero); }

// A plain image and its form in bytes.
ImageU8Shape ShapeOf(const Tensor& plain, const Tensor& image) {
  return {plain.dim(0), plain.dim(1), plain.dim(2) * plain.dim(3),
          image.dim(3)};
}

// Calls body(begin, end) on pieces of [0, n) bytes, spread over threads.
template <typename Body>
void ForBytes(int64_t n, ThreadPool* pool, Body body) {
  pool->ParallelFor(CeilDiv(n, 64), kGrainBytes / 64,
                    [&](int64_t begin, int64_t end) {
                      body(begin * 64, std::min(n, end * 64));
                    });
}

class QuantizeKernel : public NodeKernel {
 public:
  QuantizeKernel(const QuantizeImage& op, const ImageU8Kernel& kernel)
      : op_(op), kernel_(kernel) {}
  Status Run(EvalContext& ctx) override {
    QuantizeImageU8(kernel_, ShapeOf(ctx.in(0), ctx.out(0)),
                    {1 / op_.scale, 0, Zero(op_.zero)}, ctx.in(0).data<float>(),
                    ctx.out(0).data<uint8_t>(), ctx.pool());
    return OkStatus();
  }

 private:
  const QuantizeImage op_;
  const ImageU8Kernel& kernel_;
};

class DequantizeKernel : public NodeKernel {
 public:
  DequantizeKernel(const DequantizeImage& op, const ImageU8Kernel& kernel)
      : op_(op), kernel_(kernel) {}
  Status Run(EvalContext& ctx) override {
    DequantizeImageU8(kernel_, ShapeOf(ctx.out(0), ctx.in(0)),
                      {op_.scale, Zero(op_.zero), 0}, ctx.in(0).data<uint8_t>(),
                      ctx.out(0).data<float>(), ctx.pool());
    return OkStatus();
  }

 private:
  const DequantizeImage op_;
  const ImageU8Kernel& kernel_;
};

template <typename Pool>
class QuantizedPoolKernel : public NodeKernel {
 public:
  QuantizedPoolKernel(const Pool& op, const ImageU8Kernel& kernel)
      : op_(op), kernel_(kernel) {}

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    const Shape plain = PlainImageDims(x.shape());
    STINT_ASSIGN_OR_RETURN(const Window w, PoolWindow(op_, plain));
    STINT_ASSIGN_OR_RETURN(
        const Shape out,
        WindowOutput(w, {plain[2], plain[3]}, op_.ceil_mode != 0));
    if (w.kernel[0] * w.kernel[1] > kMaxPoolU8Taps) {
      return Unsupported("a window of " + std::to_string(w.kernel[0]) + " x " +
                         std::to_string(w.kernel[1]));
    }
    auto state = std::make_unique<State>();
    PoolU8Args& args = state->args;
    if constexpr (std::is_base_of_v<AveragePool, Pool>) {
      args.average = true;
      args.count_include_pad = op_.count_include_pad != 0;
      args.zero = Zero(op_.zero);
    }
    args.batch = plain[0];
    args.pixel = plain[1];
    const auto axis = [&](size_t d) {
      return ImageAxis{plain[d + 2],   out[d],    w.kernel[d],  w.strides[d],
                       w.dilations[d], w.pads[d], w.pads[d + 2]};
    };
    args.h = axis(0);
    args.w = axis(1);
    return std::unique_ptr<StepState>(std::move(state));
  }

  Status Run(EvalContext& ctx) override {
    PoolU8Args args = ctx.state<State>().args;
    args.x = ctx.in(0).data<uint8_t>();
    args.y = ctx.out(0).template data<uint8_t>();
    PoolU8(kernel_, args, ctx.pool());
    return OkStatus();
  }

 private:
  struct State : StepState {
    PoolU8Args args;
  };
  const Pool op_;
  const ImageU8Kernel& kernel_;
};

class QuantizedGlobalKernel : public NodeKernel {
 public:
  QuantizedGlobalKernel(const QuantizedGlobalAverage& op,
                        const ImageU8Kernel& kernel)
      : op_(op), kernel_(kernel) {}

  size_t ScratchBytes(const EvalContext& ctx) const override {
    return static_cast<size_t>(ctx.pool()->threads() * ctx.in(0).dim(3) * 4);
  }
  Status Run(EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    GlobalAverageU8(
        kernel_,
        {.shape = {x.dim(0), op_.channels, x.dim(1) * x.dim(2), x.dim(3)},
         .scale = op_.scale,
         .zero = Zero(op_.zero),
         .x = x.data<uint8_t>(),
         .y = ctx.out(0).data<float>(),
         .sums = static_cast<int32_t*>(ctx.scratch())},
        ctx.pool());
    return OkStatus();
  }

 private:
  const QuantizedGlobalAverage op_;
  const ImageU8Kernel& kernel_;
};

class QuantizedAddKernel : public NodeKernel {
 public:
  QuantizedAddKernel(const QuantizedAdd& op, const ImageU8Kernel& kernel)
      : kernel_(kernel),
        affine_{{op.a_scale / op.y_scale, Zero(op.a_zero), Zero(op.y_zero)},
                {op.b_scale / op.y_scale, Zero(op.b_zero), Zero(op.y_zero)}} {}
  Status Run(EvalContext& ctx) override {
    const uint8_t* a = ctx.in(0).data<uint8_t>();
    const uint8_t* b = ctx.in(1).data<uint8_t>();
    uint8_t* y = ctx.out(0).data<uint8_t>();
    ForBytes(ctx.in(0).size(), ctx.pool(), [&](int64_t begin, int64_t end) {
      kernel_.add(a + begin, b + begin, end - begin, affine_, y + begin);
    });
    return OkStatus();
  }

 private:
  const ImageU8Kernel& kernel_;
  const ByteAffine affine_[2];
};

class QuantizedGateKernel : public NodeKernel {
 public:
  QuantizedGateKernel(const QuantizedGate& op, const ImageU8Kernel& kernel)
      : op_(op), kernel_(kernel) {}

  // The gate in steps of y, as many as bytes are stored per pixel.
  size_t ScratchBytes(const EvalContext& ctx) const override {
    return static_cast<size_t>(ctx.in(0).dim(0) * ctx.in(0).dim(3) * 4);
  }
  Status Run(EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    const Tensor& gate = ctx.in(1);
    const int64_t pixel = x.dim(3), plane = x.dim(1) * x.dim(2);
    auto* steps = static_cast<float*>(ctx.scratch());
    std::fill_n(steps, x.dim(0) * pixel, 0.0f);
    for (int64_t i = 0; i < gate.size(); ++i) {
      steps[i / gate.dim(1) * pixel + i % gate.dim(1)] =
          gate.data<float>()[i] * (op_.x_scale / op_.y_scale);
    }
    const ByteAffine affine{1, Zero(op_.x_zero), Zero(op_.y_zero)};
    ctx.pool()->ParallelFor(x.dim(0) * plane, CeilDiv(kGrainBytes, pixel),
                            [&](int64_t begin, int64_t end) {
                              for (int64_t p = begin; p < end; ++p) {
                                kernel_.gate(
                                    x.data<uint8_t>() + p * pixel,
                                    steps + p / plane * pixel, pixel, affine,
                                    ctx.out(0).data<uint8_t>() + p * pixel);
                              }
                            });
    return OkStatus();
  }

 private:
  const QuantizedGate op_;
  const ImageU8Kernel& kernel_;
};

class QuantizedConcatKernel : public NodeKernel {
 public:
  QuantizedConcatKernel(const QuantizedConcat& op, const ImageU8Kernel& kernel)
      : op_(op), kernel_(kernel) {}
  Status Run(EvalContext& ctx) override {
    Tensor& y = ctx.out(0);
    ctx.pool()->ParallelFor(
        y.dim(0) * y.dim(1) * y.dim(2), CeilDiv(kGrainBytes, y.dim(3)),
        [&](int64_t begin, int64_t end) { RunPixels(ctx, begin, end); });
    return OkStatus();
  }

 private:
  void RunPixels(EvalContext& ctx, int64_t begin, int64_t end) const {
    const int64_t pixel = ctx.out(0).dim(3);
    uint8_t* y = ctx.out(0).data<uint8_t>();
    int64_t first = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const size_t k = static_cast<size_t>(i);
      const Tensor& x = ctx.in(i);
      const ByteAffine affine{op_.scales[k] / op_.y_scale, Zero(op_.zeros[k]),
                              Zero(op_.y_zero)};
      const bool same = affine.scale == 1 && op_.zeros[k] == op_.y_zero;
      const int64_t channels = op_.channels[k];
      for (int64_t p = begin; p < end; ++p) {
        const uint8_t* from = x.data<uint8_t>() + p * x.dim(3);
        uint8_t* to = y + p * pixel + first;
        if (same) {
          std::memcpy(to, from, static_cast<size_t>(channels));
        } else {
          kernel_.requantize(from, channels, affine, to);
        }
      }
      first += channels;
    }
    for (int64_t p = begin; p < end && first < pixel; ++p) {
      std::memset(y + p * pixel + first, Zero(op_.y_zero),
                  static_cast<size_t>(pixel - first));
    }
  }

  const QuantizedConcat op_;
  const ImageU8Kernel& kernel_;
};

class QuantizedLookupKernel : public NodeKernel {
 public:
  Status Run(EvalContext& ctx) override {
    const uint8_t* x = ctx.in(0).data<uint8_t>();
    const uint8_t* table = ctx.in(1).data<uint8_t>();
    uint8_t* y = ctx.out(0).data<uint8_t>();
    ForBytes(ctx.in(0).size(), ctx.pool(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = table[x[i]];
    });
    return OkStatus();
  }
};

}  // namespace

NodeKernelPtr Bind(const QuantizeImage& op, const InferContext&,
                   const KernelSite& site) {
  return std::make_unique<QuantizeKernel>(op, PickImageU8(site.isa));
}

NodeKernelPtr Bind(const DequantizeImage& op, const InferContext&,
                   const KernelSite& site) {
  return std::make_unique<DequantizeKernel>(op, PickImageU8(site.isa));
}

NodeKernelPtr Bind(const QuantizedMaxPool& op, const InferContext&,
                   const KernelSite& site) {
  return std::make_unique<QuantizedPoolKernel<QuantizedMaxPool>>(
      op, PickImageU8(site.isa));
}

NodeKernelPtr Bind(const QuantizedAveragePool& op, const InferContext&,
                   const KernelSite& site) {
  return std::make_unique<QuantizedPoolKernel<QuantizedAveragePool>>(
      op, PickImageU8(site.isa));
}

NodeKernelPtr Bind(const QuantizedGlobalAverage& op, const InferContext&,
                   const KernelSite& site) {
  return std::make_unique<QuantizedGlobalKernel>(op, PickImageU8(site.isa));
}

NodeKernelPtr Bind(const QuantizedAdd& op, const InferContext&,
                   const KernelSite& site) {
  return std::make_unique<QuantizedAddKernel>(op, PickImageU8(site.isa));
}

NodeKernelPtr Bind(const QuantizedGate& op, const InferContext&,
                   const KernelSite& site) {
  return std::make_unique<QuantizedGateKernel>(op, PickImageU8(site.isa));
}

NodeKernelPtr Bind(const QuantizedConcat& op, const InferContext&,
                   const KernelSite& site) {
  return std::make_unique<QuantizedConcatKernel>(op, PickImageU8(site.isa));
}

NodeKernelPtr Bind(const QuantizedLookup&, const InferContext&,
                   const KernelSite&) {
  return std::make_unique<QuantizedLookupKernel>();
}

}  // namespace stint
