#include "engine/nodes/conv/sparse_conv.h"

#include <algorithm>
#include <cstdio>

#include "engine/bind/conv_shape.h"
#include "engine/choose/conv_choice.h"
#include "engine/choose/table_candidates.h"
#include "engine/reference/fused_activation.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
#include "kernels/conv_sparse_f32/layout.h"

namespace stint {
namespace {

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

class SparseConvKernel : public NodeKernel {
 public:
  SparseConvKernel(const BlockedConv& op, Shape weights,
                   std::vector<float> bias, const KernelSite& site)
      : op_(op),
        act_(ActivationOf(op)),
        weight_shape_(std::move(weights)),
        bias_(std::move(bias)),
        site_(site),
        kernel_(PickConvSparseF32(site.isa)) {
    site_.packed = nullptr;
  }

  // Takes weights in one of SparseLayout's forms, which must be valid.
  void Take(PackedWeights packed, const SparseChoice& choice) {
    packed_ = std::move(packed);
    choice_ = choice;
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
    const SparseGather gather = choice_.gather.value_or(
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
    args.rows = choice_.rows;
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
        choice_.rows);
    const std::string_view name = kernel_.name;
    KernelChoice explained{primitive + std::string(name.substr(name.find('_'))),
                           std::string(ReasonName(choice_.reason)), detail,
                           primitive + ":" + std::to_string(choice_.rows)};
    explained.rule = WhySparse(choice_);
    explained.candidates = Candidates(explained.kernel, ctx);
    return explained;
  }

 private:
  // This one and the dense ones.
  std::vector<KernelCandidate> Candidates(const std::string& own,
                                          const EvalContext& ctx) const {
    KernelCandidate sparse = SparseCandidate(choice_, site_.isa);
    sparse.kernel = own;
    for (const Tensor& part : packed_.parts) {
      sparse.weight_bytes += static_cast<int64_t>(part.bytes());
    }
    const ConvF32Shape& shape = ctx.state<State>().shape;
    const ImageLayout input =
        ctx.in(0).rank() == 5 ? ImageLayout::kBlocked : ImageLayout::kPlain;
    std::vector<KernelCandidate> all = {std::move(sparse)};
    const ConvChoice dense = ChooseConv(shape, input, site_);
    if (dense.kernel == nullptr) return all;
    auto others = ConvCandidates(dense, shape, site_);
    RefuseRest(WhySparse(choice_), &others);
    Append(std::move(others), &all);
    return all;
  }

  struct State : StepState {
    ConvF32Shape shape;
    SparsePlan plan;
    std::vector<int32_t> offsets;  // by entry
  };

  const BlockedConv op_;
  const Activation act_;
  const Shape weight_shape_;
  const std::vector<float> bias_;
  KernelSite site_;
  const ConvSparseF32Kernel& kernel_;
  PackedWeights packed_;
  SparseChoice choice_;
};

Result<PackedWeights> Pack(const ConvF32Shape& shape, const Tensor& w,
                           int rows) {
  STINT_ASSIGN_OR_RETURN(auto parts,
                         SparseParts(PackSparse(shape, w.data<float>(), rows)));
  return PackedWeights{SparseLayout(rows), std::move(parts)};
}

// The sizes of the weights alone.
ConvF32Shape WeightShape(const BlockedConv& op, const Tensor& w) {
  ConvF32Shape shape;
  shape.groups = op.group;
  shape.out_channels = w.dim(0);
  shape.in_channels = w.dim(1) * op.group;
  shape.kernel_h = w.dim(2);
  shape.kernel_w = w.dim(3);
  return shape;
}

// Of weights that are packed for sparse kernels of this machine; else 0.
int PackedRows(const ConvF32Shape& weights, const KernelSite& site) {
  if (site.packed == nullptr) return 0;
  const int rows = ParseSparseLayout(site.packed->layout);
  const bool fits = rows > 0 && rows <= PickConvSparseF32(site.isa).block &&
                    IsSparse(rows, site.packed->parts, weights);
  return fits ? rows : 0;
}

// Blocks that are not 0.
double PackedShare(const ConvF32Shape& weights, int rows,
                   const PackedWeights& packed) {
  const int64_t all = CeilDiv(weights.out_channels, rows) *
                      weights.in_channels * weights.taps();
  return static_cast<double>(packed.parts[1].size()) /
         static_cast<double>(std::max<int64_t>(all, 1));
}

}  // namespace

SparseConvNode MakeSparseConv(const BlockedConv& op, const InferContext& ctx,
                              const std::vector<float>& bias,
                              const KernelSite& site) {
  const Tensor& w = *ctx.constant(1);
  if (w.rank() != 4) return {};
  const ValueType& x = ctx.in(0);
  SparseQuery query;
  query.weights = WeightShape(op, w);
  query.images = ShapeOfTypes(op, x, w.shape());
  query.input = x.rank() == 5 ? ImageLayout::kBlocked : ImageLayout::kPlain;
  auto kernel = std::make_unique<SparseConvKernel>(op, w.shape(), bias, site);
  const bool allowed = AllowsSparse(site) && op.group == 1;
  if (const int rows = allowed ? PackedRows(query.weights, site) : 0) {
    const SparseChoice choice = ChoosePackedSparse(
        query, rows, PackedShare(query.weights, rows, *site.packed), site);
    kernel->Take(*site.packed, choice);
    return {std::move(kernel), choice};
  }
  if (w.has_elements()) query.w = w.data<float>();
  SparseChoice choice = ChooseSparse(query, site);
  if (choice.rows == 0) return {nullptr, choice};
  auto packed = Pack(query.weights, w, choice.rows);
  if (!packed.ok()) {
    choice.rows = 0;
    return {nullptr, choice};
  }
  kernel->Take(std::move(packed).value(), choice);
  return {std::move(kernel), choice};
}

}  // namespace stint
