#include "engine/nodes/conv/conv_codes.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "engine/bind/conv_shape.h"
#include "engine/choose/plain_choice.h"
#include "engine/reference/fused_activation.h"
#include "kernels/conv_codes/window_rows.h"
#include "kernels/gemm_codes/gemm_codes.h"
#include "kernels/image_u8/quantize_by_range.h"

namespace stint {
namespace {

// Pixels go through together while their windows and results fit in L2, but at
// least so many that decoding the weights for them is a small part of the work.
constexpr int64_t kTogetherBytes = 512 << 10;
constexpr int64_t kLeastPixels = 128;
constexpr int64_t kGrainPixels = 16;  // for a thread

// Images become bytes, each by its own range; windows of them become rows,
// which are multiplied with the codes; results go back to the images' layout.
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
        images_(PickImageU8(site.isa)),
        kernel_(PickGemmCodes(site.isa)) {}

  const PackedWeights* packed() const override { return &packed_; }

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    auto state = std::make_unique<State>();
    const Tensor& x = ctx.in(0);
    Shape dims = x.shape();
    if (x.rank() == 5) {
      dims = PlainDims(dims);
      dims[1] = weight_shape_[1];
    }
    STINT_ASSIGN_OR_RETURN(state->shape, ConvShapeOf(op_, dims, weight_shape_));
    state->image.batch = state->shape.batch;
    state->image.channels = state->shape.in_channels;
    state->image.plane = state->shape.in_plane();
    state->image.block = x.rank() == 5 ? block_ : 1;
    state->Place(ctx.has(3), [&](int64_t pixels, int64_t k) {
      return GemmCodesScratchBytes(kernel_, pixels, k, weights_->outliers(),
                                   ctx.pool()->threads());
    });
    return std::unique_ptr<StepState>(std::move(state));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    return static_cast<size_t>(ctx.state<State>().bytes);
  }

  Status Run(EvalContext& ctx) override {
    const auto& state = ctx.state<State>();
    const Scratch scratch(state, ctx.scratch());
    QuantizeByRangeArgs image = state.image;
    image.x = ctx.in(0).data<float>();
    if (ctx.has(4)) image.gate = ctx.in(4).data<float>();
    image.y = scratch.image;
    image.scale = scratch.image_scale;
    image.zero = scratch.image_zero;
    image.scratch = scratch.ranges;
    QuantizeByRange(images_, image, ctx.pool());
    STINT_ASSIGN_OR_RETURN(const CodedMatrix matrix, weights_->Take());
    const int64_t all = state.shape.batch * state.shape.out_plane();
    for (int64_t first = 0; first < all; first += state.pixels) {
      const PixelRange pixels{&state.shape, first,
                              std::min(state.pixels, all - first)};
      RunPixels(state, scratch, pixels, matrix, ctx);
    }
    weights_->Done();
    return OkStatus();
  }

  KernelChoice Explain(const EvalContext&) const override {
    return ExplainConvCodes(kernel_);
  }

 private:
  // Where in scratch things are, in bytes.
  struct State : StepState {
    ConvF32Shape shape;
    QuantizeByRangeArgs image;  // without pointers
    int64_t row_bytes = 0;      // of a window
    int64_t pixels = 0;         // at a time
    int64_t image_at = 0;
    int64_t image_scale_at = 0;
    int64_t image_zero_at = 0;
    int64_t ranges_at = 0;
    int64_t windows_at = 0;
    int64_t scale_at = 0;
    int64_t zero_at = 0;
    int64_t results_at = 0;
    int64_t residual_at = 0;
    int64_t product_at = 0;
    int64_t bytes = 0;

    // product_bytes(rows, inputs) of the product's own scratch.
    template <typename ProductBytes>
    void Place(bool has_residual, ProductBytes product_bytes) {
      const int64_t k = shape.in_channels * shape.taps();
      row_bytes = RoundUp(k, 4);
      const int64_t results = shape.out_channels * 4;
      pixels = std::min(
          shape.batch * shape.out_plane(),
          std::max(kLeastPixels, kTogetherBytes / (row_bytes + results)));
      const auto take = [&](int64_t size) {
        const int64_t at = bytes;
        bytes += RoundUp(size, 64);
        return at;
      };
      image_at = take(shape.batch * shape.in_plane() * shape.in_channels);
      image_scale_at = take(shape.batch * 4);
      image_zero_at = take(shape.batch);
      ranges_at = take(QuantizeByRangeScratchBytes(image));
      windows_at = take(pixels * row_bytes);
      scale_at = take(pixels * 4);
      zero_at = take(pixels);
      results_at = take(pixels * results);
      residual_at = has_residual ? take(pixels * results) : 0;
      product_at = take(product_bytes(pixels, k));
    }
  };

  struct Scratch {
    Scratch(const State& state, void* scratch)
        : image(static_cast<uint8_t*>(scratch) + state.image_at),
          image_scale(At<float>(scratch, state.image_scale_at)),
          image_zero(At<uint8_t>(scratch, state.image_zero_at)),
          ranges(At<float>(scratch, state.ranges_at)),
          windows(At<uint8_t>(scratch, state.windows_at)),
          scale(At<float>(scratch, state.scale_at)),
          zero(At<uint8_t>(scratch, state.zero_at)),
          results(At<float>(scratch, state.results_at)),
          residual(At<float>(scratch, state.residual_at)),
          product(At<uint8_t>(scratch, state.product_at)) {}
    template <typename T>
    static T* At(void* scratch, int64_t bytes) {
      return reinterpret_cast<T*>(static_cast<uint8_t*>(scratch) + bytes);
    }
    uint8_t* image;
    float* image_scale;
    uint8_t* image_zero;
    float* ranges;
    uint8_t* windows;
    float* scale;
    uint8_t* zero;
    float* results;
    float* residual;
    uint8_t* product;
  };

  void RunPixels(const State& state, const Scratch& scratch,
                 const PixelRange& pixels, const CodedMatrix& matrix,
                 EvalContext& ctx) const {
    const int64_t outputs = state.shape.out_channels;
    const int64_t y_block = ctx.out(0).rank() == 5 ? block_ : 1;
    const float* residual = ctx.has(3) ? ctx.in(3).data<float>() : nullptr;
    const auto part = [&](int64_t begin, int64_t end) {
      return PixelRange{pixels.shape, pixels.first + begin, end - begin};
    };
    const auto gather = [&](int64_t begin, int64_t end) {
      GatherWindows(part(begin, end), scratch.image, scratch.image_zero,
                    scratch.windows + begin * state.row_bytes, state.row_bytes);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t image = (pixels.first + i) / state.shape.out_plane();
        scratch.scale[i] = scratch.image_scale[image];
        scratch.zero[i] = scratch.image_zero[image];
      }
      if (residual == nullptr) return;
      GatherPixels(part(begin, end), y_block, residual,
                   scratch.residual + begin * outputs);
    };
    ctx.pool()->ParallelFor(pixels.count, kGrainPixels, gather);
    GemmS8Args args = ProductOf(state, scratch, pixels.count);
    args.residual = residual != nullptr ? scratch.residual : nullptr;
    GemmCodes(kernel_, args, matrix, ctx.pool());
    float* y = ctx.out(0).data<float>();
    ctx.pool()->ParallelFor(
        pixels.count, kGrainPixels, [&](int64_t begin, int64_t end) {
          ScatterPixels(part(begin, end), y_block,
                        scratch.results + begin * outputs, y);
        });
  }

  GemmS8Args ProductOf(const State& state, const Scratch& scratch,
                       int64_t rows) const {
    GemmS8Args args;
    args.m = rows;
    args.n = args.ldr = args.ldc = state.shape.out_channels;
    args.k = state.shape.in_channels * state.shape.taps();
    args.a = scratch.windows;
    args.lda = state.row_bytes;
    args.scale_a = scratch.scale;
    args.zero_a = scratch.zero;
    args.scale_b = weights_->scales().data();
    args.bias_n = bias_.empty() ? nullptr : bias_.data();
    args.act = act_;
    args.c = scratch.results;
    args.scratch = scratch.product;
    return args;
  }

  const Conv op_;
  const Activation act_;
  const int64_t block_;
  const Shape weight_shape_;
  const std::vector<float> bias_;
  CodedWeights* const weights_;
  const ImageU8Kernel& images_;
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
