#include "engine/reference/eval_context.h"

namespace stint {

Status EvalContext::Allocate(int i, DType dtype, const Shape& shape) {
  if (i >= num_outputs()) return OkStatus();
  Value& value = outputs_[i];
  if (value.is_tensor() && value.tensor().raw() != nullptr &&
      value.tensor().dtype() == dtype && value.tensor().shape() == shape) {
    return OkStatus();
  }
  STINT_ASSIGN_OR_RETURN(value, Tensor::Allocate(dtype, shape));
  return OkStatus();
}

}  // namespace stint
