#include <algorithm>

#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"
#include "model/ops/movement/slice.h"

namespace stint {
namespace {

// Weights take channels squared: beyond this a copy would be cheaper.
constexpr int64_t kMostChannels = 256;

struct Shortcut {
  ValueId input;
  int64_t channels = 0;
  int64_t before = 0;  // channels of zeros in front
  int64_t outputs = 0;
  std::vector<int64_t> strides;
};

std::optional<std::vector<int64_t>> Ints(const Matcher& match, const Node& node,
                                         size_t i) {
  if (i >= node.inputs.size() || !node.inputs[i].valid()) {
    return std::vector<int64_t>();
  }
  const Tensor* t = match.Constant(node.inputs[i]);
  if (t == nullptr || t->dtype() != DType::kInt64) return std::nullopt;
  return std::vector<int64_t>(t->data<int64_t>(),
                              t->data<int64_t>() + t->size());
}

// Strides of a slice that takes every n-th pixel of all channels and images.
std::optional<std::vector<int64_t>> StridesOf(const Graph& graph,
                                              const Matcher& match,
                                              const Node& slice) {
  const auto starts = Ints(match, slice, 1);
  const auto ends = Ints(match, slice, 2);
  const auto axes = Ints(match, slice, 3);
  const auto steps = Ints(match, slice, 4);
  if (!starts || !ends || !axes || !steps || axes->empty() ||
      std::count(axes->begin(), axes->end(), 0) > 0 ||
      std::count(axes->begin(), axes->end(), -4) > 0) {
    return std::nullopt;
  }
  Shape dims = graph.value(slice.inputs[0]).type.dims;
  dims[0] = 1;
  if (!std::all_of(dims.begin(), dims.end(), IsKnown)) return std::nullopt;
  const auto ranges = ResolveSlice(dims, *starts, *ends, *axes, *steps);
  if (!ranges.ok()) return std::nullopt;
  for (size_t i = 0; i < dims.size(); ++i) {
    const SliceRange& range = (*ranges)[i];
    if (range.start != 0 || range.step < 1 ||
        range.count != (dims[i] - 1) / range.step + 1) {
      return std::nullopt;
    }
  }
  if ((*ranges)[1].step != 1) return std::nullopt;
  return std::vector<int64_t>{(*ranges)[2].step, (*ranges)[3].step};
}

std::optional<Shortcut> Find(const Graph& graph, const Matcher& match,
                             const Node& pad) {
  const Pad* op = As<Pad>(pad.op);
  const Node* slice = match.MadeOnce<Slice>(pad.inputs[0]);
  if (op == nullptr || op->mode != "constant" || slice == nullptr ||
      !match.IsFloat32(slice->inputs[0])) {
    return std::nullopt;
  }
  const ValueType& x = graph.value(slice->inputs[0]).type;
  if (!x.ranked || x.rank() != 4) return std::nullopt;
  const auto strides = StridesOf(graph, match, *slice);
  const auto given = Ints(match, pad, 1);
  const auto axes = Ints(match, pad, 3);
  const bool zeros = pad.inputs.size() < 3 || !pad.inputs[2].valid() ||
                     match.IsScalar(pad.inputs[2], 0);
  if (!strides || !given || given->empty() || !axes || !zeros) {
    return std::nullopt;
  }
  const auto pads = ResolvePads(4, *given, *axes);
  if (!pads.ok()) return std::nullopt;
  for (size_t i = 0; i < 8; ++i) {
    const bool channel = i % 4 == 1;
    if (channel ? (*pads)[i] < 0 : (*pads)[i] != 0) return std::nullopt;
  }
  Shortcut found;
  found.input = slice->inputs[0];
  found.channels = x.dims[1];
  found.before = (*pads)[1];
  found.outputs = found.before + found.channels + (*pads)[5];
  found.strides = *strides;
  if (found.outputs > kMostChannels) return std::nullopt;
  return found;
}

Status ToConv(const Shortcut& found, Graph* graph, Node* node) {
  STINT_ASSIGN_OR_RETURN(
      Tensor w,
      Tensor::Allocate(DType::kFloat32, {found.outputs, found.channels, 1, 1}));
  std::fill_n(w.data<float>(), w.size(), 0.0f);
  for (int64_t c = 0; c < found.channels; ++c) {
    w.data<float>()[(found.before + c) * found.channels + c] = 1;
  }
  FusedConv conv;
  conv.strides = found.strides;
  node->op = std::move(conv);
  node->inputs = {found.input,
                  graph->AddConstant(node->name + ".weight", std::move(w))};
  return OkStatus();
}

}  // namespace

// A shortcut that takes every n-th pixel and pads channels by zeros, as in
// ResNets for CIFAR-10, is a 1x1 convolution that copies. As such it keeps the
// layout, and the bytes, of the convolutions around it; finite values stay as
// they are.
Result<int> ShortcutToConv(Graph* graph) {
  const Matcher match(graph);
  if (!match.Has<FusedConv>()) return 0;
  int count = 0;
  const std::vector<NodeId> order = graph->order();
  for (NodeId id : order) {
    if (!As<Pad>(graph->node(id).op)) continue;
    const auto found = Find(*graph, match, graph->node(id));
    if (!found) continue;
    STINT_RETURN_IF_ERROR(ToConv(*found, graph, &graph->node(id)));
    ++count;
  }
  return count;
}

}  // namespace stint
