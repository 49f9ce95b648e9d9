#include "engine/bind/fast/conv_codes.h"

#include <algorithm>

#include "engine/bind/conv_shape.h"
#include "engine/bind/fast/quantized_input.h"
#include "engine/bind/fused_activation.h"
#include "kernels/conv_codes/window_rows.h"
#include "kernels/gemm_codes/gemm_codes.h"

namespace stint {
namespace {

// Pixels go through together while what their windows see fits in L2, but at
// least so many that decoding the weights for them is a small part of the work.
constexpr int64_t kWindowBytes = 512 << 10;
constexpr int64_t kLeastPixels = 64;

// Windows of the image become rows, which are quantized one by one and
// multiplied with the codes; results go back to the image's layout.
class ConvCodesNode : public NodeKernel {
 public:
  ConvCodesNode(const FusedConv& op, int64_t block, Shape weights,
                std::vector<float> bias, const KernelSite& site)
      : op_(op),
        act_(ActivationOf(op)),
        block_(block),
        weight_shape_(std::move(weights)),
        bias_(std::move(bias)),
        weights_(site.coded.weights),
        kernel_(PickGemmCodes(site.isa)) {}

  const PackedWeights* packed() const override { return &packed_; }

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    auto state = std::make_unique<State>();
    Shape dims = ctx.in(0).shape();
    if (dims.size() == 5) {
      dims = PlainDims(dims);
      dims[1] = weight_shape_[1];
    }
    STINT_ASSIGN_OR_RETURN(state->shape, ConvShapeOf(op_, dims, weight_shape_));
    state->Place(kernel_, weights_->outliers(), ctx.pool()->threads());
    return std::unique_ptr<StepState>(std::move(state));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    return static_cast<size_t>(ctx.state<State>().scratch_bytes);
  }

  Status Run(EvalContext& ctx) override {
    const auto& state = ctx.state<State>();
    const ConvF32Shape& s = state.shape;
    STINT_ASSIGN_OR_RETURN(const CodedMatrix matrix, weights_->Take());
    const int64_t x_block = ctx.in(0).rank() == 5 ? block_ : 1;
    const int64_t y_block = ctx.out(0).rank() == 5 ? block_ : 1;
    for (int64_t n = 0; n < s.batch; ++n) {
      Image image;
      image.x = ctx.in(0).data<float>() +
                n * RoundUp(s.in_channels, x_block) * s.in_plane();
      const int64_t y_at = n * RoundUp(s.out_channels, y_block) * s.out_plane();
      image.y = ctx.out(0).data<float>() + y_at;
      if (ctx.has(3)) image.residual = ctx.in(3).data<float>() + y_at;
      if (ctx.has(4)) {
        image.gate = ctx.in(4).data<float>() + n * ctx.in(4).size() / s.batch;
      }
      for (int64_t first = 0; first < s.out_plane(); first += state.pixels) {
        const int64_t count = std::min(state.pixels, s.out_plane() - first);
        RunPixels(state, image, {&s, x_block, first, count},
                  {&s, y_block, first, count}, matrix, ctx);
      }
    }
    weights_->Done();
    return OkStatus();
  }

  KernelChoice Explain(const EvalContext&) const override {
    return {std::string("conv_codes_") + kernel_.products->name, "codes", ""};
  }

 private:
  struct Image {
    const float* x = nullptr;
    const float* gate = nullptr;
    const float* residual = nullptr;
    float* y = nullptr;
  };

  // In scratch: windows, results, what is added to them, then the bytes of the
  // windows and what the product needs.
  struct State : StepState {
    ConvF32Shape shape;
    int64_t k = 0;
    int64_t pixels = 0;  // at a time
    int64_t results_at = 0;
    int64_t residual_at = 0;
    int64_t product_at = 0;
    int64_t scratch_bytes = 0;

    void Place(const GemmCodesKernel& kernel, int64_t outliers, int threads) {
      k = shape.in_channels * shape.taps();
      pixels = std::min(shape.out_plane(),
                        std::max(kLeastPixels, kWindowBytes / (4 * k)));
      results_at = RoundUp(pixels * k * 4, 64);
      const int64_t results = RoundUp(pixels * shape.out_channels * 4, 64);
      residual_at = results_at + results;
      product_at = residual_at + results;
      scratch_bytes =
          product_at + QuantizedInput(pixels, k).scratch_at +
          GemmCodesScratchBytes(kernel, pixels, k, outliers, threads);
    }
  };

  void RunPixels(const State& state, const Image& image, const ImageRows& in,
                 const ImageRows& out, const CodedMatrix& matrix,
                 EvalContext& ctx) const {
    auto* scratch = static_cast<uint8_t*>(ctx.scratch());
    auto* windows = reinterpret_cast<float*>(scratch);
    auto* results = reinterpret_cast<float*>(scratch + state.results_at);
    auto* residual = reinterpret_cast<float*>(scratch + state.residual_at);
    const int64_t outputs = state.shape.out_channels;
    ThreadPool* pool = ctx.pool();
    const auto part = [](const ImageRows& rows, int64_t begin, int64_t end) {
      return ImageRows{rows.shape, rows.block, rows.first + begin, end - begin};
    };
    pool->ParallelFor(in.count, kGrain, [&](int64_t begin, int64_t end) {
      GatherWindows(part(in, begin, end), image.x, image.gate,
                    windows + begin * state.k, state.k);
      if (image.residual == nullptr) return;
      GatherPixels(part(out, begin, end), image.residual,
                   residual + begin * outputs);
    });
    GemmF32Args product;
    product.m = in.count;
    product.n = outputs;
    product.k = state.k;
    product.a = windows;
    product.lda = state.k;
    product.bias_n = bias_.empty() ? nullptr : bias_.data();
    product.residual = image.residual != nullptr ? residual : nullptr;
    product.ldr = outputs;
    product.act = act_;
    product.c = results;
    product.ldc = outputs;
    GemmS8Args args = QuantizeInput(*kernel_.products, product,
                                    scratch + state.product_at, pool);
    args.scale_b = weights_->scales().data();
    GemmCodes(kernel_, args, matrix, pool);
    pool->ParallelFor(out.count, kGrain, [&](int64_t begin, int64_t end) {
      ScatterPixels(part(out, begin, end), results + begin * outputs, image.y);
    });
  }

  static constexpr int64_t kGrain = 16;  // pixels for a thread

  const Conv op_;
  const Activation act_;
  const int64_t block_;
  const Shape weight_shape_;
  const std::vector<float> bias_;
  CodedWeights* const weights_;
  const GemmCodesKernel kernel_;
  const PackedWeights packed_{"codes", {}};
};

}  // namespace

NodeKernelPtr MakeConvCodes(const FusedConv& op, int64_t block,
                            const Shape& weights, std::vector<float> bias,
                            const KernelSite& site) {
  int64_t k = 1;
  for (size_t i = 1; i < weights.size(); ++i) k *= weights[i];
  if (op.group != 1 || k > kGemmS8MaxK ||
      site.coded.weights->n() != weights[0] || site.coded.weights->k() != k) {
    return nullptr;
  }
  return std::make_unique<ConvCodesNode>(op, block, weights, std::move(bias),
                                         site);
}

}  // namespace stint
