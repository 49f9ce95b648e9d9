#include "engine/nodes/conv/sparse_conv.h"

#include <algorithm>
#include <cstdio>

#include "engine/bind/conv_shape.h"
#include "engine/choose/conv_choice.h"
#include "engine/device/sparse_costs.h"
#include "engine/reference/fused_activation.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
#include "kernels/conv_sparse_f32/layout.h"

namespace stint {
namespace {

// Multiplications that a dense kernel does in the time of one of SparseWork:
// conv_sparse_f32_bench, AVX-512 of Zen 4. Winograd needs less than half.
constexpr double kDenseWork = 0.9;
constexpr double kWinogradWork = 0.38;

// Sizes of one image; nothing while they are not known.
std::optional<ConvF32Shape> ShapeOfTypes(const BlockedConv& op,
                                         const ValueType& x, const Shape& w) {
  Shape dims = x.dims;
  if (x.rank() == 5) {
    dims = PlainDims(dims);
    dims[1] = w[1] * op.group;
  }
  dims[0] = 1;
  if (!std::all_of(dims.begin(), dims.end(), IsKnown)) return std::nullopt;
  const auto shape = ConvShapeOf(op, dims, w);
  return shape.ok() ? std::optional(*shape) : std::nullopt;
}

// Whether sparse weights are faster than the fastest dense primitive, in
// entries of how many outputs, and how pixels are gathered for them.
struct Verdict {
  int rows = 0;  // 0: dense ones are
  ConvReason reason = ConvReason::kDefault;
  std::optional<SparseGather> gather = {};  // nothing: as the shape has it
};

const std::vector<PrimitiveCost>* CostsOf(const ConvF32Shape& shape,
                                          ImageLayout input,
                                          const KernelSite& site) {
  if (site.conv_costs == nullptr) return nullptr;
  return site.conv_costs->Find(ConvLayerName(shape, input));
}

// By what was measured of the layer.
std::optional<Verdict> Measured(const ConvF32Shape& shape, ImageLayout input,
                                const float* w, const KernelSite& site) {
  const auto* costs = CostsOf(shape, input, site);
  if (costs == nullptr) return std::nullopt;
  const auto dense = FastestDense(*costs);
  Verdict verdict{0, ConvReason::kMeasured};
  double least = dense ? dense->us : 0;
  bool known = false;
  for (int rows : kSparseRows) {
    const auto sparse =
        FastestSparse(*costs, rows, SparseShare(shape, w, rows));
    known |= sparse.has_value();
    if (sparse && ((!dense && verdict.rows == 0) || sparse->us < least)) {
      least = sparse->us;
      verdict.rows = rows;
      verdict.gather = sparse->gather;
    }
  }
  return known ? std::optional(verdict) : std::nullopt;
}

// For weights that are packed already.
Verdict OfPacked(const std::optional<ConvF32Shape>& shape, ImageLayout input,
                 int rows, const KernelSite& site) {
  if (const auto forced = SparseGatherNamed(site.primitive)) {
    return {rows, ConvReason::kForced, *forced};
  }
  const auto* costs = shape ? CostsOf(*shape, input, site) : nullptr;
  if (costs == nullptr) return {rows};
  const int64_t all =
      CeilDiv(shape->out_channels, rows) * shape->in_channels * shape->taps();
  const double share = static_cast<double>(site.packed->parts[1].size()) /
                       static_cast<double>(std::max<int64_t>(all, 1));
  const auto fastest = FastestSparse(*costs, rows, share);
  if (!fastest) return {rows};
  return {rows, ConvReason::kMeasured, fastest->gather};
}

// By numbers of multiplications.
Verdict Estimated(const ConvF32Shape& shape, ImageLayout input, const float* w,
                  const KernelSite& site) {
  const SparseWork work =
      CheapestSparseRows(shape, w, PickConvSparseF32(site.isa).block);
  if (const auto gather = SparseGatherNamed(site.primitive)) {
    return {work.rows, ConvReason::kForced, gather};
  }
  const auto weights = static_cast<double>(shape.out_channels *
                                           shape.in_channels * shape.taps());
  const ConvChoice choice = ChooseConv(shape, input, site);
  const bool winograd =
      choice.kernel != nullptr && choice.kernel->winograd != nullptr;
  const double dense = weights * (winograd ? kWinogradWork : kDenseWork);
  return {work.weights < dense ? work.rows : 0, ConvReason::kDefault};
}

Verdict Decide(const ConvF32Shape& shape, ImageLayout input, const float* w,
               const KernelSite& site) {
  if (site.primitive.empty()) {
    if (const auto measured = Measured(shape, input, w, site)) {
      return *measured;
    }
  }
  return Estimated(shape, input, w, site);
}

class SparseConvNode : public NodeKernel {
 public:
  SparseConvNode(const BlockedConv& op, Shape weights, std::vector<float> bias,
                 const ConvSparseF32Kernel& kernel)
      : op_(op),
        act_(ActivationOf(op)),
        weight_shape_(std::move(weights)),
        bias_(std::move(bias)),
        kernel_(kernel) {}

  // Takes weights in one of SparseLayout's forms, which must be valid.
  void Take(PackedWeights packed, const Verdict& verdict) {
    packed_ = std::move(packed);
    verdict_ = verdict;
  }
  const PackedWeights* packed() const override { return &packed_; }

  Result<std::unique_ptr<StepState>> Prepare(const EvalContext& ctx) override {
    auto state = std::make_unique<State>();
    Shape dims = ctx.in(0).shape();
    if (ctx.in(0).rank() == 5) {
      dims = PlainDims(dims);
      dims[1] = weight_shape_[1];
    }
    STINT_ASSIGN_OR_RETURN(state->shape, ConvShapeOf(op_, dims, weight_shape_));
    if (!ConvSparseSupports(state->shape)) {
      return Unsupported("the image is too large for a sparse convolution");
    }
    const SparseGather gather = verdict_.gather.value_or(
        DefaultSparseGather(kernel_.block, state->shape));
    state->plan = MakeSparsePlan(kernel_.block, state->shape, gather,
                                 ctx.pool()->threads());
    const std::vector<int32_t> at =
        SparsePlaceOffsets(state->plan, state->shape);
    const Tensor& places = packed_.parts[1];
    state->offsets.reserve(static_cast<size_t>(places.size()));
    for (int64_t e = 0; e < places.size(); ++e) {
      state->offsets.push_back(at[places.data<int32_t>()[e]]);
    }
    return std::unique_ptr<StepState>(std::move(state));
  }

  size_t ScratchBytes(const EvalContext& ctx) const override {
    return static_cast<size_t>(ctx.state<State>().plan.scratch_bytes());
  }

  Status Run(EvalContext& ctx) override {
    const State& state = ctx.state<State>();
    ConvSparseF32Args args;
    args.shape = state.shape;
    args.plan = state.plan;
    args.x = ctx.in(0).data<float>();
    args.plain_input = ctx.in(0).rank() == 4;
    args.rows = verdict_.rows;
    args.begin = {packed_.parts[0].data<int32_t>(),
                  static_cast<size_t>(packed_.parts[0].size())};
    args.values = packed_.parts[2].data<float>();
    args.offsets = state.offsets.data();
    args.bias = bias_.empty() ? nullptr : bias_.data();
    args.residual = ctx.has(3) ? ctx.in(3).data<float>() : nullptr;
    args.act = act_;
    args.y = ctx.out(0).data<float>();
    args.scratch = static_cast<float*>(ctx.scratch());
    ConvSparseF32(kernel_, args, ctx.pool());
    return OkStatus();
  }

  // "sparse_im2col_avx512", "sparse_im2col:4".
  KernelChoice Explain(const EvalContext& ctx) const override {
    const std::string primitive(
        SparseGatherName(ctx.state<State>().plan.gather));
    const double weights =
        static_cast<double>(weight_shape_[0] * weight_shape_[1] *
                            weight_shape_[2] * weight_shape_[3]);
    char detail[64];
    std::snprintf(
        detail, sizeof(detail), "%.1f %% of blocks of %d are 0",
        100 - 100 * static_cast<double>(packed_.parts[2].size()) / weights,
        verdict_.rows);
    const std::string_view name = kernel_.name;
    return {primitive + std::string(name.substr(name.find('_'))),
            std::string(ReasonName(verdict_.reason)), detail,
            primitive + ":" + std::to_string(verdict_.rows)};
  }

 private:
  struct State : StepState {
    ConvF32Shape shape;
    SparsePlan plan;
    std::vector<int32_t> offsets;  // by entry
  };

  const BlockedConv op_;
  const Activation act_;
  const Shape weight_shape_;
  const std::vector<float> bias_;
  const ConvSparseF32Kernel& kernel_;
  PackedWeights packed_;
  Verdict verdict_;
};

Result<PackedWeights> Pack(const ConvF32Shape& shape, const Tensor& w,
                           int rows) {
  STINT_ASSIGN_OR_RETURN(auto parts,
                         SparseParts(PackSparse(shape, w.data<float>(), rows)));
  return PackedWeights{SparseLayout(rows), std::move(parts)};
}

}  // namespace

NodeKernelPtr MakeSparseConv(const BlockedConv& op, const InferContext& ctx,
                             const std::vector<float>& bias,
                             const KernelSite& site) {
  const Tensor& w = *ctx.constant(1);
  if (op.group != 1 || w.rank() != 4 ||
      (!site.primitive.empty() && !IsSparsePrimitive(site.primitive))) {
    return nullptr;
  }
  ConvF32Shape weights;
  weights.out_channels = w.dim(0);
  weights.in_channels = w.dim(1);
  weights.kernel_h = w.dim(2);
  weights.kernel_w = w.dim(3);
  const ConvSparseF32Kernel& kernel = PickConvSparseF32(site.isa);
  auto node = std::make_unique<SparseConvNode>(op, w.shape(), bias, kernel);
  const ImageLayout input =
      ctx.in(0).rank() == 5 ? ImageLayout::kBlocked : ImageLayout::kPlain;
  const auto shape = ShapeOfTypes(op, ctx.in(0), w.shape());
  if (site.packed != nullptr) {
    const int rows = ParseSparseLayout(site.packed->layout);
    if (rows > 0 && rows <= kernel.block &&
        IsSparse(rows, site.packed->parts, weights)) {
      node->Take(*site.packed, OfPacked(shape, input, rows, site));
      return node;
    }
  }
  if (!w.has_elements()) return nullptr;
  if (site.primitive.empty() &&
      !MayBeSparse({w.data<float>(), static_cast<size_t>(w.size())}))
    return nullptr;
  const Verdict verdict =
      Decide(shape.value_or(weights), input, w.data<float>(), site);
  if (verdict.rows == 0) return nullptr;
  auto packed = Pack(weights, w, verdict.rows);
  if (!packed.ok()) return nullptr;
  node->Take(std::move(packed).value(), verdict);
  return node;
}

}  // namespace stint
