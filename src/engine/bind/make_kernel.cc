#include "engine/bind/evaluate.h"
#include "engine/bind/node_kernel.h"

namespace stint {
namespace {

// Any op, by its reference evaluation.
class ReferenceKernel : public NodeKernel {
 public:
  explicit ReferenceKernel(const Op& op) : op_(op) {}
  Status Run(EvalContext& ctx) override { return Evaluate(op_, ctx); }

 private:
  const Op op_;
};

}  // namespace

Result<std::unique_ptr<NodeKernel>> MakeKernel(const Op& op,
                                               const InferContext&,
                                               const KernelSite&) {
  return std::unique_ptr<NodeKernel>(std::make_unique<ReferenceKernel>(op));
}

}  // namespace stint
