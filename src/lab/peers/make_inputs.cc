#include "lab/peers/make_inputs.h"

#include <algorithm>

#include "core/base/random.h"
#include "core/tensor/element_access.h"
#include "model/graph/graph.h"
#include "weights/package/package.h"

namespace stint {
namespace {

enum class Dimension { kBatch, kSequence, kPicture, kOther };

constexpr int64_t kPictureSize = 224;
constexpr int64_t kSmallInteger = 10;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// What the free dimension `d` of an input is.
Dimension Classify(const ValueInfo& info, size_t d) {
  const std::string& name = info.dim_names[d];
  if (Contains(name, "seq") || Contains(name, "length")) {
    return Dimension::kSequence;
  }
  if (d == 0) return Dimension::kBatch;
  if (info.shape.size() == 2) return Dimension::kSequence;
  if (info.shape.size() == 4 && d >= 2) return Dimension::kPicture;
  return Dimension::kOther;
}

Shape BindShape(const ValueInfo& info, const InputSizes& sizes) {
  Shape shape = info.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] >= 0) continue;
    switch (Classify(info, d)) {
      case Dimension::kBatch:
        shape[d] = sizes.batch;
        break;
      case Dimension::kSequence:
        shape[d] = sizes.sequence;
        break;
      case Dimension::kPicture:
        shape[d] = kPictureSize;
        break;
      case Dimension::kOther:
        shape[d] = 1;
        break;
    }
  }
  return shape;
}

// Rows of the constants that `value` looks up, the fewest of them, followed
// through casts; 0 when there is none.
int64_t LookedUpRows(const Graph& graph, ValueId value) {
  int64_t rows = 0;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    int64_t found = 0;
    if (OpName(node.op) == "Gather" && node.inputs.size() == 2 &&
        node.inputs[1] == value) {
      const auto& table = graph.value(node.inputs[0]).constant;
      if (table && table->rank() > 0) found = table->dim(0);
    } else if (OpName(node.op) == "Cast" && node.inputs[0] == value) {
      found = LookedUpRows(graph, node.outputs[0]);
    }
    if (found > 0) rows = rows > 0 ? std::min(rows, found) : found;
  }
  return rows;
}

// How many integers the input may take, from 0; `first` is the least.
struct IntegerRange {
  int64_t first = 0;
  int64_t count = 1;
};

IntegerRange RangeOf(const Graph& graph, ValueId input,
                     const std::string& name) {
  if (Contains(name, "mask")) return {1, 1};
  if (Contains(name, "type")) return {0, 1};
  const int64_t rows = LookedUpRows(graph, input);
  return {0, rows > 0 ? rows : kSmallInteger};
}

void FillIntegers(const IntegerRange& range, Random* random, Tensor* tensor) {
  for (int64_t i = 0; i < tensor->size(); ++i) {
    const int64_t value = range.first + random->NextInt(range.count);
    StoreElements<int64_t>(&value, i, 1, tensor);
  }
}

void FillNormal(Random* random, Tensor* tensor) {
  for (int64_t i = 0; i < tensor->size(); ++i) {
    const auto value = static_cast<float>(random->NextNormal());
    StoreElements<float>(&value, i, 1, tensor);
  }
}

}  // namespace

FreeDimensions FindFreeDimensions(const Model& model) {
  FreeDimensions found;
  for (const ValueInfo& info : model.inputs()) {
    for (size_t d = 0; d < info.shape.size(); ++d) {
      if (info.shape[d] >= 0) continue;
      const Dimension kind = Classify(info, d);
      found.batch |= kind == Dimension::kBatch;
      found.sequence |= kind == Dimension::kSequence;
    }
  }
  if (!found.batch && !model.inputs().empty() &&
      !model.inputs()[0].shape.empty()) {
    found.fixed_batch = std::max<int64_t>(0, model.inputs()[0].shape[0]);
  }
  return found;
}

Result<std::vector<NamedValue>> MakeInputs(const Model& model,
                                           const InputSizes& sizes,
                                           uint64_t seed) {
  const Graph& graph = *model.package()->graph;
  Random random(seed);
  std::vector<NamedValue> inputs;
  for (size_t i = 0; i < model.inputs().size(); ++i) {
    const ValueInfo& info = model.inputs()[i];
    STINT_ASSIGN_OR_RETURN(
        Tensor tensor, Tensor::Allocate(info.dtype, BindShape(info, sizes)));
    if (IsFloat(info.dtype)) {
      FillNormal(&random, &tensor);
    } else if (IsInteger(info.dtype)) {
      FillIntegers(RangeOf(graph, graph.inputs()[i], info.name), &random,
                   &tensor);
    } else if (info.dtype == DType::kBool) {
      FillIntegers({1, 1}, &random, &tensor);
    } else {
      return Unsupported("input '" + info.name + "' is " +
                         std::string(DTypeName(info.dtype)) +
                         "; only numbers are made up");
    }
    inputs.push_back({info.name, std::move(tensor)});
  }
  return inputs;
}

}  // namespace stint
