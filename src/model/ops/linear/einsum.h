#pragma once
// Sums of products by Einstein's convention.

#include <string>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// "ij,jk->ik": one term of labels per input, "..." for further dimensions,
// which broadcast. Without "->" the output has the labels that appear once, in
// alphabetical order, after the further dimensions.
struct Einsum {
  static constexpr std::string_view kName = "Einsum";
  std::string equation;
  STINT_FIELDS(equation)
};

Status Infer(const Einsum& op, InferContext& ctx);
int64_t Macs(const Einsum& op, const InferContext& ctx);

// An equation for given shapes. Labels are numbered, those of the output first
// and in its order.
struct EinsumPlan {
  std::vector<int64_t> sizes;  // of every label; may be unknown
  size_t num_outputs = 0;      // labels of the output
  // strides[i][l]: elements of input i between neighbors along label l.
  std::vector<std::vector<int64_t>> strides;

  Shape OutputShape() const {
    return Shape(sizes.begin(),
                 sizes.begin() + static_cast<int64_t>(num_outputs));
  }
};

// Strides are meaningful only when all dimensions are known.
Result<EinsumPlan> PlanEinsum(const std::string& equation,
                              const std::vector<Shape>& shapes);

}  // namespace stint
