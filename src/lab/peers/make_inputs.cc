#include "lab/peers/make_inputs.h"

#include <algorithm>
#include <charconv>

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

// The shape of the input with what was asked for put in for free dimensions.
Result<Shape> AskedShape(const ValueInfo& info, const InputSizes& sizes) {
  const auto asked = sizes.shapes.find(info.name);
  if (asked == sizes.shapes.end()) return info.shape;
  Shape shape = asked->second;
  bool fits = shape.size() == info.shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) {
    if (shape[d] < 0) shape[d] = info.shape[d];
    fits = info.shape[d] < 0 || shape[d] == info.shape[d];
    const bool is_batch =
        info.shape[d] < 0 && Classify(info, d) == Dimension::kBatch;
    if (fits && is_batch && shape[d] >= 0 && shape[d] != sizes.batch) {
      return InvalidArgument("input '" + info.name + "': batch " +
                             std::to_string(shape[d]) + " beside a batch of " +
                             std::to_string(sizes.batch) +
                             "; write ? for it, or give --batch");
    }
  }
  if (fits) return shape;
  return InvalidArgument("input '" + info.name + "' has shape " +
                         ToString(info.shape) + " (-1 is free), not " +
                         ToString(asked->second));
}

Result<Shape> BindShape(const ValueInfo& info, const InputSizes& sizes) {
  STINT_ASSIGN_OR_RETURN(Shape shape, AskedShape(info, sizes));
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

Status CheckNames(const Model& model, const InputShapes& shapes) {
  for (const auto& [name, shape] : shapes) {
    std::string names;
    bool found = false;
    for (const ValueInfo& info : model.inputs()) {
      found = found || info.name == name;
      names += (names.empty() ? "" : ", ") + info.name;
    }
    if (found) continue;
    return InvalidArgument("the model has no input '" + name + "', it has " +
                           names);
  }
  return OkStatus();
}

// "3x?x224".
Result<Shape> ParseShape(const std::string& text) {
  Shape shape;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find('x', begin), text.size());
    const std::string_view word(text.data() + begin, end - begin);
    int64_t size = -1;
    if (word != "?") {
      const auto parsed =
          std::from_chars(word.data(), word.data() + word.size(), size);
      if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size() ||
          size < 1) {
        return InvalidArgument("'" + text +
                               "' is no shape; expected as 1x3x224x224");
      }
    }
    shape.push_back(size);
    begin = end + 1;
  }
  return shape;
}

}  // namespace

Result<InputShapes> ParseInputShapes(const std::vector<std::string>& texts) {
  InputShapes shapes;
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      return InvalidArgument("'" + text + "': expected NAME=1x3x224x224");
    }
    STINT_ASSIGN_OR_RETURN(shapes[text.substr(0, equals)],
                           ParseShape(text.substr(equals + 1)));
  }
  return shapes;
}

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
  STINT_RETURN_IF_ERROR(CheckNames(model, sizes.shapes));
  const Graph& graph = *model.package()->graph;
  Random random(seed);
  std::vector<NamedValue> inputs;
  for (size_t i = 0; i < model.inputs().size(); ++i) {
    const ValueInfo& info = model.inputs()[i];
    STINT_ASSIGN_OR_RETURN(const Shape shape, BindShape(info, sizes));
    STINT_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(info.dtype, shape));
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
