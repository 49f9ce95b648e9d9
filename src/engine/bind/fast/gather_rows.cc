// Rows of a table that stays on storage.

#include "core/tensor/element_access.h"
#include "engine/bind/fast/fast.h"
#include "engine/bind/reference/movement/movement.h"

namespace stint {
namespace {

class GatherRows : public NodeKernel {
 public:
  explicit GatherRows(CodedRows* rows) : rows_(rows) {}

  const PackedWeights* packed() const override { return &packed_; }

  Status Run(EvalContext& ctx) override {
    STINT_ASSIGN_OR_RETURN(const auto numbers,
                           ReadIndices(ctx.in(1), rows_->rows()));
    return rows_->Read(numbers, ctx.out(0).data<float>());
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
