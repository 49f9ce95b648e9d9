#include "convert/compress/store_half.h"

#include <cmath>

#include "core/base/float_bits.h"

namespace stint {
namespace {

Result<Tensor> Narrow(const Tensor& wide, DType dtype) {
  STINT_ASSIGN_OR_RETURN(Tensor narrow, Tensor::Allocate(dtype, wide.shape()));
  auto* to = static_cast<uint16_t*>(narrow.raw());
  for (int64_t i = 0; i < wide.size(); ++i) {
    const float x = wide.data<float>()[i];
    if (dtype == DType::kBFloat16) {
      to[i] = FloatToBFloat16(x);
      continue;
    }
    to[i] = FloatToFloat16(x);
    if (std::isfinite(x) && !std::isfinite(Float16ToFloat(to[i]))) {
      return InvalidArgument("it holds " + std::to_string(x) +
                             ", the most that float16 can hold is 65504");
    }
  }
  return narrow;
}

}  // namespace

Result<int> StoreHalf(DType dtype, Graph* graph) {
  const auto count = static_cast<int32_t>(graph->num_values());
  int stored = 0;
  for (int32_t i = 0; i < count; ++i) {
    const ValueId id{i};
    const auto& constant = graph->value(id).constant;
    if (!constant || constant->dtype() != DType::kFloat32 ||
        constant->rank() < 2 || !constant->has_elements()) {
      continue;
    }
    const std::string name = graph->value(id).name;
    auto narrow = Narrow(*constant, dtype);
    if (!narrow.ok()) return narrow.status().Annotate("weights '" + name + "'");
    const ValueId small =
        graph->AddConstant(name + ".half", std::move(narrow).value());
    const ValueId wide = graph->Add(name + ".wide", Cast{}, {small});
    for (NodeId reader : graph->order()) {
      for (ValueId& in : graph->node(reader).inputs) {
        if (in == id) in = wide;
      }
    }
    graph->value(id).constant.reset();
    ++stored;
  }
  STINT_RETURN_IF_ERROR(graph->SortNodes());
  STINT_RETURN_IF_ERROR(InferGraph(graph));
  return stored;
}

}  // namespace stint
