#include "engine/run/zero_inputs.h"

namespace stint {
namespace {

int64_t SizeOf(const Graph& graph, const Shape& dims, size_t d,
               const NominalSizes& sizes) {
  const int64_t dim = dims[d];
  if (IsKnown(dim)) return dim;
  const std::string name =
      dim <= kFirstSymbol
          ? graph.symbols()[static_cast<size_t>(kFirstSymbol - dim)]
          : "";
  if (name.find("seq") != std::string::npos) return sizes.sequence;
  if (name.find("batch") != std::string::npos) return sizes.batch;
  return dims.size() == 4 && d >= 2 ? sizes.image : 1;
}

}  // namespace

Result<std::vector<Value>> ZeroInputs(const Graph& graph,
                                      const NominalSizes& sizes) {
  std::vector<Value> inputs;
  for (ValueId id : graph.inputs()) {
    const ValueType& type = graph.value(id).type;
    if (!type.is_tensor() || !type.ranked) {
      return Unsupported("input '" + graph.value(id).name +
                         "' is not a tensor of known rank");
    }
    Shape shape;
    for (size_t d = 0; d < type.dims.size(); ++d) {
      shape.push_back(SizeOf(graph, type.dims, d, sizes));
    }
    STINT_ASSIGN_OR_RETURN(Tensor tensor,
                           Tensor::Allocate(type.dtype, std::move(shape)));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace stint
