#include <algorithm>

#include "core/tensor/element_access.h"
#include "engine/reference/linear/linear.h"

namespace stint {
namespace {

// Moves to the next index of labels [first, last), adding to the offsets of
// the inputs; false when all have been visited.
bool Advance(const EinsumPlan& plan, size_t first, size_t last,
             std::vector<int64_t>* at, std::vector<int64_t>* offsets) {
  for (size_t l = last; l-- > first;) {
    const bool carry = ++(*at)[l] == plan.sizes[l];
    const int64_t steps = carry ? 1 - plan.sizes[l] : 1;
    for (size_t i = 0; i < offsets->size(); ++i) {
      (*offsets)[i] += steps * plan.strides[i][l];
    }
    if (!carry) return true;
    (*at)[l] = 0;
  }
  return false;
}

// The sum over the last label of the product of all inputs.
template <typename T>
T SumLast(const EinsumPlan& plan, const std::vector<std::vector<T>>& inputs,
          const std::vector<int64_t>& offsets, int64_t count, size_t label) {
  T sum = 0;
  for (int64_t j = 0; j < count; ++j) {
    T product = 1;
    for (size_t i = 0; i < inputs.size(); ++i) {
      product *= inputs[i][offsets[i] + j * plan.strides[i][label]];
    }
    sum += product;
  }
  return sum;
}

}  // namespace

Status Eval(const Einsum& op, EvalContext& ctx) {
  std::vector<Shape> shapes;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    shapes.push_back(ctx.in(i).shape());
  }
  STINT_ASSIGN_OR_RETURN(EinsumPlan plan, PlanEinsum(op.equation, shapes));
  // There always is a last label to sum over.
  if (plan.sizes.size() == plan.num_outputs) {
    plan.sizes.push_back(1);
    for (auto& strides : plan.strides) strides.push_back(0);
  }
  const size_t last = plan.sizes.size() - 1;
  const bool empty = std::count(plan.sizes.begin(), plan.sizes.end(), 0) > 0;
  VisitCompute(ctx.in(0).dtype(), [&]<typename T>() {
    std::vector<std::vector<T>> inputs;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      inputs.push_back(ElementsAs<T>(ctx.in(i)));
    }
    std::vector<T> out(static_cast<size_t>(ctx.out(0).size()), T(0));
    std::vector<int64_t> at(plan.sizes.size(), 0);
    std::vector<int64_t> offsets(inputs.size(), 0);
    for (size_t o = 0; o < out.size() && !empty; ++o) {
      do {
        out[o] += SumLast(plan, inputs, offsets, plan.sizes[last], last);
      } while (Advance(plan, plan.num_outputs, last, &at, &offsets));
      Advance(plan, 0, plan.num_outputs, &at, &offsets);
    }
    StoreElements<T>(out.data(), 0, ctx.out(0).size(), &ctx.out(0));
  });
  return OkStatus();
}

}  // namespace stint
