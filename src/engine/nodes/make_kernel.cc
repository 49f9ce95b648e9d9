#include "engine/nodes/make_kernel.h"

#include "engine/bind/node_kernel.h"
#include "engine/nodes/nodes.h"
#include "engine/reference/evaluate.h"

namespace stint {
namespace {

// Any op, by its reference evaluation.
class ReferenceKernel : public NodeKernel {
 public:
  explicit ReferenceKernel(const Op& op) : op_(op) {}
  bool IsReference() const override { return true; }
  Status Run(EvalContext& ctx) override { return Evaluate(op_, ctx); }

 private:
  const Op op_;
};

// Every output is known to be empty. The other dimensions may still be huge, so
// kernels should not even start.
class NoKernel : public NodeKernel {
 public:
  Status Run(EvalContext&) override { return OkStatus(); }
};

}  // namespace

bool AllFloat32(const InferContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.has(i) && ctx.in(i).dtype != DType::kFloat32) return false;
  }
  return true;
}

Status RunOnce(NodeKernel* kernel, EvalContext* ctx) {
  STINT_ASSIGN_OR_RETURN(auto state, kernel->Prepare(*ctx));
  ctx->SetState(std::move(state));
  Tensor scratch;
  if (const size_t bytes = kernel->ScratchBytes(*ctx); bytes > 0) {
    STINT_ASSIGN_OR_RETURN(
        scratch,
        Tensor::Allocate(DType::kUInt8, {static_cast<int64_t>(bytes)}));
  }
  ctx->SetScratch(scratch.raw());
  return kernel->Run(*ctx);
}

Result<std::unique_ptr<NodeKernel>> MakeKernel(const Op& op,
                                               const InferContext& ctx,
                                               const KernelSite& site) {
  if (ctx.OutputsAreEmpty()) return NodeKernelPtr(std::make_unique<NoKernel>());
  NodeKernelPtr kernel = Visit(
      [&](const auto& o) -> NodeKernelPtr {
        if constexpr (requires { Bind(o, ctx, site); }) {
          return Bind(o, ctx, site);
        } else {
          return nullptr;
        }
      },
      op);
  if (kernel == nullptr) kernel = std::make_unique<ReferenceKernel>(op);
  return kernel;
}

}  // namespace stint
