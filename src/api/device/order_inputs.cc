#include "api/device/order_inputs.h"

#include <algorithm>
#include <map>
#include <string>

namespace stint {
namespace {

// Checks a value against its declaration; `sizes` remembers named dimensions.
Status CheckInput(const ValueInfo& info, const Value& value,
                  std::map<std::string, int64_t>* sizes) {
  if (!value.is_tensor()) return OkStatus();
  const Tensor& tensor = value.tensor();
  const auto wrong = [&](const std::string& expected) {
    return InvalidArgument("input '" + info.name + "' is " +
                           std::string(DTypeName(tensor.dtype())) +
                           ToString(tensor.shape()) + ", expected " + expected);
  };
  const std::string declared =
      std::string(DTypeName(info.dtype)) + ToString(info.shape);
  if (tensor.dtype() != info.dtype ||
      (!info.shape.empty() && tensor.shape().size() != info.shape.size())) {
    return wrong(declared);
  }
  for (size_t d = 0; d < info.shape.size(); ++d) {
    const int64_t size = tensor.shape()[d];
    if (info.shape[d] >= 0) {
      if (size != info.shape[d]) return wrong(declared);
    } else if (!info.dim_names[d].empty()) {
      const auto [it, is_new] = sizes->emplace(info.dim_names[d], size);
      if (!is_new && it->second != size) {
        return wrong(info.dim_names[d] + " = " + std::to_string(it->second) +
                     " as in another input");
      }
    }
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<Value>> OrderInputs(const Model& model,
                                       const std::vector<NamedValue>& inputs) {
  std::vector<Value> ordered;
  std::map<std::string, int64_t> sizes;
  for (const ValueInfo& info : model.inputs()) {
    const auto it =
        std::find_if(inputs.begin(), inputs.end(),
                     [&](const NamedValue& v) { return v.name == info.name; });
    if (it == inputs.end()) {
      return InvalidArgument("input '" + info.name + "' is missing");
    }
    STINT_RETURN_IF_ERROR(CheckInput(info, it->value, &sizes));
    ordered.push_back(it->value);
  }
  for (const NamedValue& value : inputs) {
    const bool known = std::any_of(
        model.inputs().begin(), model.inputs().end(),
        [&](const ValueInfo& info) { return info.name == value.name; });
    if (!known) {
      return InvalidArgument("the model has no input '" + value.name + "'");
    }
  }
  return ordered;
}

}  // namespace stint
