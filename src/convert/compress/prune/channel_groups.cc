#include "convert/compress/prune/channel_groups.h"

#include <algorithm>

namespace stint {
namespace {

// Output 0 has the channels of input 0 in the same place.
bool KeepsChannels(const Op& op) {
  return As<Unary>(op) || As<LeakyRelu>(op) || As<Elu>(op) || As<Celu>(op) ||
         As<Selu>(op) || As<HardSigmoid>(op) || As<ThresholdedRelu>(op) ||
         As<Swish>(op) || As<Gelu>(op) || As<Clip>(op) || As<Cast>(op);
}

// The same of images only, whose channels are dimension 1.
bool KeepsImageChannels(const Op& op) {
  return As<MaxPool>(op) || As<AveragePool>(op) || As<GlobalAveragePool>(op) ||
         As<GlobalMaxPool>(op) || As<BatchNormalization>(op);
}

bool IsArithmetic(const Op& op) {
  const Binary* binary = As<Binary>(op);
  return (binary != nullptr && !IsPredicate(binary->kind)) ||
         As<Variadic>(op) != nullptr;
}

}  // namespace

ChannelGroups::ChannelGroups(const Graph& graph) : graph_(graph) {
  for (ValueId in : graph.inputs()) {
    const Shape* dims = Dims(in);
    if (dims == nullptr || dims->size() != 4 || !IsKnown((*dims)[1])) continue;
    Set(in, {1, New((*dims)[1])});
    Fix(axes_[in].channels, "input '" + graph.value(in).name + "'");
  }
  for (NodeId id : graph.order()) Follow(id);
  FixOthersConstants();
  for (ValueId out : graph.outputs()) {
    if (const ChannelAxis* axis = Of(out)) {
      Fix(axis->channels, "output '" + graph.value(out).name + "'");
    }
  }
}

const ChannelAxis* ChannelGroups::Of(ValueId value) const {
  const auto found = axes_.find(value);
  return found != axes_.end() ? &found->second : nullptr;
}

int32_t ChannelGroups::Class(int32_t channel) const {
  while (parent_[channel] != channel) channel = parent_[channel];
  return channel;
}

std::vector<int32_t> ChannelGroups::New(int64_t count) {
  std::vector<int32_t> made;
  for (int64_t i = 0; i < count; ++i) {
    made.push_back(static_cast<int32_t>(parent_.size()));
    parent_.push_back(made.back());
    fixed_.emplace_back();
  }
  return made;
}

int32_t ChannelGroups::Root(int32_t channel) {
  const int32_t root = Class(channel);
  while (parent_[channel] != root) {
    channel = std::exchange(parent_[channel], root);
  }
  return root;
}

void ChannelGroups::Unite(int32_t a, int32_t b) {
  a = Root(a);
  b = Root(b);
  if (a == b) return;
  if (a > b) std::swap(a, b);
  parent_[b] = a;
  if (fixed_[a].empty()) fixed_[a] = fixed_[b];
}

void ChannelGroups::Unite(const std::vector<int32_t>& a,
                          const std::vector<int32_t>& b) {
  for (size_t i = 0; i < a.size(); ++i) Unite(a[i], b[i]);
}

void ChannelGroups::Fix(const std::vector<int32_t>& channels,
                        const std::string& reason) {
  for (int32_t channel : channels) {
    std::string& fixed = fixed_[Root(channel)];
    if (fixed.empty()) fixed = reason;
  }
}

void ChannelGroups::Set(ValueId value, ChannelAxis axis) {
  axes_[value] = std::move(axis);
}

// A constant that is read twice along one axis ties the readers together.
void ChannelGroups::Use(ChannelUse use) {
  followed_.emplace(use.constant, use.node);
  for (const ChannelUse& other : uses_) {
    if (other.constant == use.constant && other.axis == use.axis) {
      return Unite(other.channels, use.channels);
    }
  }
  uses_.push_back(std::move(use));
}

void ChannelGroups::FixOthersConstants() {
  std::map<ValueId, std::string> others;
  for (NodeId id : graph_.order()) {
    const Node& node = graph_.node(id);
    for (ValueId in : node.inputs) {
      if (!followed_.contains({in, id})) others[in] = Describe(node);
    }
  }
  for (const ChannelUse& use : uses_) {
    const auto other = others.find(use.constant);
    if (other != others.end()) Fix(use.channels, other->second);
  }
}

const Shape* ChannelGroups::Dims(ValueId value) const {
  const ValueType& type = graph_.value(value).type;
  return type.ranked ? &type.dims : nullptr;
}

const Tensor* ChannelGroups::Constant(const Node& node, size_t i) const {
  if (i >= node.inputs.size() || !node.inputs[i].valid()) return nullptr;
  const auto& constant = graph_.value(node.inputs[i]).constant;
  return constant ? &*constant : nullptr;
}

void ChannelGroups::FixInputs(const Node& node) {
  for (ValueId in : node.inputs) {
    if (!in.valid()) continue;
    if (const ChannelAxis* axis = Of(in)) {
      Fix(axis->channels, Describe(node));
    }
  }
}

void ChannelGroups::Follow(NodeId id) {
  const Node& node = graph_.node(id);
  if (As<Shape_>(node.op) || node.inputs.empty() || !node.inputs[0].valid()) {
    return;
  }
  if (FollowWeights(node, id) || FollowSame(node, id) ||
      FollowElementwise(node, id) || FollowShape(node) || FollowSqueeze(node) ||
      FollowSplit(node) || FollowConcat(node) || FollowPad(node)) {
    return;
  }
  FixInputs(node);
}

bool ChannelGroups::FollowWeights(const Node& node, NodeId id) {
  if (As<Conv>(node.op)) {
    FollowConv(node, id);
    return true;
  }
  const Gemm* gemm = As<Gemm>(node.op);
  const Tensor* w = Constant(node, 1);
  if ((gemm == nullptr && !As<MatMul>(node.op)) || w == nullptr ||
      w->rank() != 2 || (gemm != nullptr && gemm->transA != 0)) {
    return false;
  }
  const int64_t out_axis = gemm != nullptr && gemm->transB != 0 ? 0 : 1;
  const Shape* dims = Dims(node.inputs[0]);
  if (dims == nullptr || dims->empty()) return false;
  const int64_t last = std::ssize(*dims) - 1;
  if (const ChannelAxis* in = Of(node.inputs[0])) {
    if (in->axis == last && std::ssize(in->channels) == w->dim(1 - out_axis)) {
      Use({node.inputs[1], 1 - out_axis, in->channels, id});
    } else {
      FixInputs(node);
    }
  }
  const auto made = New(w->dim(out_axis));
  Use({node.inputs[1], out_axis, made, id, true});
  if (node.inputs.size() > 2 && node.inputs[2].valid()) {
    const Tensor* bias = Constant(node, 2);
    if (bias != nullptr && bias->rank() >= 1 &&
        bias->dim(bias->rank() - 1) == std::ssize(made)) {
      Use({node.inputs[2], bias->rank() - 1, made, id});
    } else if (bias == nullptr || bias->size() != 1) {
      Fix(made, Describe(node));
    }
  }
  Set(node.outputs[0], {last, made});
  return true;
}

void ChannelGroups::FollowConv(const Node& node, NodeId id) {
  const Tensor* w = Constant(node, 1);
  const ChannelAxis* in = Of(node.inputs[0]);
  if (w == nullptr) return FixInputs(node);
  if (in != nullptr &&
      (in->axis != 1 ||
       std::ssize(in->channels) != w->dim(1) * As<Conv>(node.op)->group)) {
    FixInputs(node);
    in = nullptr;
  }
  const int64_t group = As<Conv>(node.op)->group;
  const bool depthwise = group > 1 && w->dim(0) == group && w->dim(1) == 1;
  std::vector<int32_t> out;
  if (depthwise && in != nullptr && std::ssize(in->channels) == group) {
    out = in->channels;
    Use({node.inputs[1], 0, out, id});
  } else {
    out = New(w->dim(0));
    Use({node.inputs[1], 0, out, id, true});
    if (group != 1) {
      Fix(out, Describe(node));
      FixInputs(node);
    } else if (in != nullptr) {
      Use({node.inputs[1], 1, in->channels, id});
    }
  }
  if (node.inputs.size() > 2 && node.inputs[2].valid()) {
    Constant(node, 2) != nullptr ? Use({node.inputs[2], 0, out, id})
                                 : Fix(out, Describe(node));
  }
  Set(node.outputs[0], {1, out});
}

// By what the operator is told: what it gives is often not known before a run.
// Sizes that are computed may hold the channels.
bool ChannelGroups::ResizesPixelsOnly(const Node& node,
                                      int64_t channels) const {
  const auto& axes = As<Resize>(node.op)->axes;
  const Shape* from = Dims(node.inputs[0]);
  if (from == nullptr) return false;
  const auto place = std::find_if(axes.begin(), axes.end(), [&](int64_t axis) {
    return axis == 1 || axis == 1 - std::ssize(*from);
  });
  if (!axes.empty() && place == axes.end()) return true;
  const auto at = static_cast<size_t>(
      axes.empty() ? 1 : std::distance(axes.begin(), place));
  const Tensor* sizes = Constant(node, 3);
  if (sizes != nullptr && sizes->size() > 0) {
    const std::vector<int64_t> given = IntsOf(*sizes);
    return at < given.size() && given[at] == channels;
  }
  const bool computed =
      node.inputs.size() > 3 && node.inputs[3].valid() && sizes == nullptr;
  const Tensor* scales = computed ? nullptr : Constant(node, 2);
  return scales != nullptr && scales->dtype() == DType::kFloat32 &&
         scales->size() > static_cast<int64_t>(at) &&
         scales->data<float>()[at] == 1;
}

bool ChannelGroups::FollowSame(const Node& node, NodeId id) {
  const ChannelAxis* in = Of(node.inputs[0]);
  const bool image = KeepsImageChannels(node.op);
  const bool resize = As<Resize>(node.op) != nullptr;
  if (!KeepsChannels(node.op) && !image && !resize) return false;
  if (in == nullptr) return true;
  if ((image || resize) && in->axis != 1) return false;
  if (resize && !ResizesPixelsOnly(node, std::ssize(in->channels))) {
    return false;
  }
  if (As<BatchNormalization>(node.op)) {
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      if (Constant(node, i) == nullptr) return false;
    }
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      Use({node.inputs[i], 0, in->channels, id});
    }
  }
  Set(node.outputs[0], *in);
  return true;
}

bool ChannelGroups::FollowElementwise(const Node& node, NodeId id) {
  if (!IsArithmetic(node.op)) return false;
  const Shape* out = Dims(node.outputs[0]);
  if (out == nullptr) return false;
  const int64_t rank = std::ssize(*out);
  // Axes count from the end: shorter shapes broadcast.
  const ChannelAxis* first = nullptr;
  int64_t from_end = 0;
  for (ValueId in : node.inputs) {
    const ChannelAxis* axis = Of(in);
    const Shape* dims = Dims(in);
    if (axis == nullptr || dims == nullptr) continue;
    const int64_t place = std::ssize(*dims) - axis->axis;
    if (first == nullptr) {
      first = axis;
      from_end = place;
    } else if (place != from_end ||
               axis->channels.size() != first->channels.size()) {
      return false;
    }
  }
  if (first == nullptr) return true;
  std::vector<ChannelUse> uses;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId in = node.inputs[i];
    const Shape* dims = Dims(in);
    if (dims == nullptr) return false;
    const int64_t axis = std::ssize(*dims) - from_end;
    if (Of(in) != nullptr || axis < 0 || (*dims)[axis] == 1) continue;
    if (Constant(node, i) == nullptr ||
        (*dims)[axis] != std::ssize(first->channels)) {
      return false;
    }
    uses.push_back({in, axis, first->channels, id});
  }
  for (ValueId in : node.inputs) {
    if (const ChannelAxis* axis = Of(in)) {
      Unite(first->channels, axis->channels);
    }
  }
  for (ChannelUse& use : uses) Use(std::move(use));
  Set(node.outputs[0], {rank - from_end, first->channels});
  return true;
}

// Flattening, reductions over other dimensions and permutations.
bool ChannelGroups::FollowShape(const Node& node) {
  const ChannelAxis* in = Of(node.inputs[0]);
  const Shape* from = Dims(node.inputs[0]);
  const Shape* to = Dims(node.outputs[0]);
  const bool flat = As<Flatten>(node.op) || As<Reshape>(node.op);
  const Reduce* reduce = As<Reduce>(node.op);
  const Transpose* transpose = As<Transpose>(node.op);
  if (!flat && reduce == nullptr && transpose == nullptr) return false;
  if (in == nullptr) return true;
  if (from == nullptr || to == nullptr) return false;
  if (flat && to->size() != 2) return FollowSpread(node, *in, *to);
  if (flat) {
    // Numbers of a shape that is computed may hold the channels.
    if (As<Reshape>(node.op) && Constant(node, 1) == nullptr) return false;
    const int64_t inner =
        ProductOf(from->data() + in->axis + 1, from->data() + from->size());
    if (in->axis != 1 || to->size() != 2 || !IsKnown(inner) ||
        (*to)[1] != inner * std::ssize(in->channels)) {
      return false;
    }
    ChannelAxis axis{1, {}};
    for (int32_t channel : in->channels) {
      axis.channels.insert(axis.channels.end(), inner, channel);
    }
    Set(node.outputs[0], std::move(axis));
    return true;
  }
  if (transpose != nullptr) {
    const auto& perm = transpose->perm;
    const auto place = std::find(perm.begin(), perm.end(), in->axis);
    if (place == perm.end()) return false;
    Set(node.outputs[0], {place - perm.begin(), in->channels});
    return true;
  }
  const Tensor* axes = Constant(node, 1);
  if (axes == nullptr || axes->size() == 0) return false;
  int64_t before = 0;
  for (int64_t axis : IntsOf(*axes)) {
    if (axis < 0) axis += std::ssize(*from);
    if (axis == in->axis) return false;
    before += axis < in->axis;
  }
  const int64_t moved = reduce->keepdims != 0 ? 0 : before;
  Set(node.outputs[0], {in->axis - moved, in->channels});
  return true;
}

// A matrix [n, channels] as images of one pixel.
bool ChannelGroups::FollowSpread(const Node& node, const ChannelAxis& in,
                                 const Shape& to) {
  const Shape& from = *Dims(node.inputs[0]);
  const auto is_one = [](int64_t dim) { return dim == 1; };
  if (from.size() != 2 || in.axis != 1 || to.size() < 2 ||
      to[1] != std::ssize(in.channels) ||
      !std::all_of(to.begin() + 2, to.end(), is_one) ||
      Constant(node, 1) == nullptr) {
    return false;
  }
  Set(node.outputs[0], in);
  return true;
}

// Dimensions of 1 that come and go.
bool ChannelGroups::FollowSqueeze(const Node& node) {
  const bool squeeze = As<Squeeze>(node.op) != nullptr;
  if (!squeeze && As<Unsqueeze>(node.op) == nullptr) return false;
  const ChannelAxis* in = Of(node.inputs[0]);
  if (in == nullptr) return true;
  const Tensor* axes = Constant(node, 1);
  const Shape* from = Dims(node.inputs[0]);
  if (axes == nullptr || from == nullptr) return false;
  const std::vector<int64_t> given = IntsOf(*axes);
  const int64_t rank = std::ssize(*from) + (squeeze ? 0 : std::ssize(given));
  std::set<int64_t> ones;
  for (int64_t axis : given) ones.insert(axis < 0 ? axis + rank : axis);
  int64_t place = in->axis;
  if (squeeze) {
    if (ones.count(in->axis) > 0) return false;
    for (int64_t one : ones) place -= one < in->axis;
  } else {
    for (int64_t one : ones) place += one <= place;
  }
  Set(node.outputs[0], {place, in->channels});
  return true;
}

// Each part has its share of the channels.
bool ChannelGroups::FollowSplit(const Node& node) {
  const Split* split = As<Split>(node.op);
  if (split == nullptr) return false;
  const ChannelAxis* in = Of(node.inputs[0]);
  const Shape* from = Dims(node.inputs[0]);
  if (in == nullptr) return true;
  if (from == nullptr) return false;
  const int64_t axis =
      split->axis < 0 ? split->axis + std::ssize(*from) : split->axis;
  const bool by_channel = axis == in->axis;
  if (by_channel && node.inputs.size() > 1 && node.inputs[1].valid() &&
      Constant(node, 1) == nullptr) {
    return false;
  }
  const ChannelAxis whole = *in;
  size_t first = 0;
  for (ValueId out : node.outputs) {
    const Shape* to = out.valid() ? Dims(out) : nullptr;
    if (to == nullptr || !IsKnown((*to)[whole.axis])) return false;
    first += static_cast<size_t>((*to)[whole.axis]);
  }
  if (by_channel && first != whole.channels.size()) return false;
  first = 0;
  for (ValueId out : node.outputs) {
    ChannelAxis part = whole;
    if (by_channel) {
      const auto count = static_cast<size_t>((*Dims(out))[axis]);
      const auto begin = whole.channels.begin() + static_cast<int64_t>(first);
      part.channels.assign(begin, begin + static_cast<int64_t>(count));
      first += count;
      parts_.push_back(part.channels);
    }
    Set(out, std::move(part));
  }
  return true;
}

bool ChannelGroups::FollowConcat(const Node& node) {
  const Concat* concat = As<Concat>(node.op);
  const Shape* out = Dims(node.outputs[0]);
  if (concat == nullptr || out == nullptr) return false;
  const int64_t rank = std::ssize(*out);
  const int64_t axis = concat->axis < 0 ? concat->axis + rank : concat->axis;
  ChannelAxis made{axis, {}};
  for (ValueId in : node.inputs) {
    const ChannelAxis* part = Of(in);
    if (part == nullptr || part->axis != axis) return false;
    made.channels.insert(made.channels.end(), part->channels.begin(),
                         part->channels.end());
  }
  Set(node.outputs[0], std::move(made));
  return true;
}

// Steps of 1 keep the order of what they leave whole.
bool ChannelGroups::MayReverse(const Node& slice) const {
  if (slice.inputs.size() < 5 || !slice.inputs[4].valid()) return false;
  const Tensor* steps = Constant(slice, 4);
  if (steps == nullptr) return true;
  const std::vector<int64_t> given = IntsOf(*steps);
  return std::any_of(given.begin(), given.end(),
                     [](int64_t step) { return step < 0; });
}

// Channels of zeros are new ones.
bool ChannelGroups::FollowPad(const Node& node) {
  const Pad* pad = As<Pad>(node.op);
  const ChannelAxis* in = Of(node.inputs[0]);
  const bool slice = As<Slice>(node.op) != nullptr;
  if (pad == nullptr && !slice) return false;
  if (in == nullptr) return true;
  const Shape* from = Dims(node.inputs[0]);
  const Shape* to = Dims(node.outputs[0]);
  if (from == nullptr || to == nullptr) return false;
  if ((*to)[in->axis] == (*from)[in->axis] && !(slice && MayReverse(node))) {
    Set(node.outputs[0], *in);
    return true;
  }
  const Tensor* pads = Constant(node, 1);
  const Tensor* value = Constant(node, 2);
  const bool with_axes = node.inputs.size() > 3 && node.inputs[3].valid();
  const bool zeros = node.inputs.size() < 3 || !node.inputs[2].valid() ||
                     (value != nullptr && value->dtype() == DType::kFloat32 &&
                      value->size() == 1 && value->data<float>()[0] == 0);
  if (slice || pads == nullptr || pad->mode != "constant" || with_axes ||
      !zeros) {
    return false;
  }
  const std::vector<int64_t> sizes = IntsOf(*pads);
  const int64_t before = sizes[in->axis];
  const int64_t after = sizes[in->axis + std::ssize(*from)];
  if (before < 0 || after < 0) return false;
  ChannelAxis made{in->axis, New(before)};
  made.channels.insert(made.channels.end(), in->channels.begin(),
                       in->channels.end());
  const auto rest = New(after);
  made.channels.insert(made.channels.end(), rest.begin(), rest.end());
  Set(node.outputs[0], std::move(made));
  return true;
}

}  // namespace stint
