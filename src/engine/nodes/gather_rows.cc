// Rows of a table that stays on storage.

#include "core/tensor/element_access.h"
#include "engine/nodes/nodes.h"
#include "engine/reference/movement/movement.h"

namespace stint {
namespace {

class GatherRows : public NodeKernel {
 public:
  explicit GatherRows(CodedRows* rows) : rows_(rows) {}

  const PackedWeights* packed() const override { return &packed_; }

  // The numbers of the rows.
  size_t ScratchBytes(const EvalContext& ctx) const override {
    return static_cast<size_t>(ctx.in(1).size()) * sizeof(int64_t);
  }

  Status Run(EvalContext& ctx) override {
    auto* numbers = static_cast<int64_t*>(ctx.scratch());
    STINT_RETURN_IF_ERROR(ReadIndices(ctx.in(1), rows_->rows(), numbers));
    return rows_->Read({numbers, static_cast<size_t>(ctx.in(1).size())},
                       ctx.out(0).data<float>());
  }

 private:
  CodedRows* const rows_;
  const PackedWeights packed_{"rows", {}};
};

}  // namespace

NodeKernelPtr Bind(const Gather& op, const InferContext& ctx,
                   const KernelSite& site) {
  CodedRows* rows = site.coded.rows;
  if (rows == nullptr || op.axis != 0 || !ctx.Ranked({0})) return nullptr;
  if (ctx.in(0).dims != Shape{rows->rows(), rows->columns()}) return nullptr;
  return std::make_unique<GatherRows>(rows);
}

}  // namespace stint
