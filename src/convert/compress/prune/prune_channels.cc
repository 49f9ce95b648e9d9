#include "convert/compress/prune/prune_channels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "convert/compress/prune/channel_groups.h"
#include "convert/compress/prune/prune_weights.h"

namespace stint {
namespace {

int64_t Product(const Shape& shape, int64_t begin, int64_t end) {
  return ProductOf(shape.data() + begin, shape.data() + end);
}

// Elements along `axis` at the given indices.
Result<Tensor> Gather(const Tensor& from, int64_t axis,
                      const std::vector<int64_t>& indices) {
  Shape shape = from.shape();
  const int64_t outer = Product(shape, 0, axis);
  const size_t inner =
      static_cast<size_t>(Product(shape, axis + 1, from.rank())) *
      DTypeSize(from.dtype());
  const size_t old_count = static_cast<size_t>(shape[axis]);
  shape[axis] = std::ssize(indices);
  STINT_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(from.dtype(), shape));
  const char* source = static_cast<const char*>(from.raw());
  char* target = static_cast<char*>(to.raw());
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t index : indices) {
      std::memcpy(target, source + static_cast<size_t>(index) * inner, inner);
      target += inner;
    }
    source += old_count * inner;
  }
  return to;
}

// Mean square of the slices of a weight tensor along an axis.
std::vector<double> SliceEnergy(const Tensor& w, int64_t axis) {
  std::vector<double> energy(static_cast<size_t>(w.dim(axis)), 0.0);
  const int64_t outer = Product(w.shape(), 0, axis);
  const int64_t inner = Product(w.shape(), axis + 1, w.rank());
  const float* x = w.data<float>();
  for (int64_t o = 0; o < outer; ++o) {
    for (double& sum : energy) {
      for (int64_t i = 0; i < inner; ++i, ++x) {
        sum += static_cast<double>(*x) * *x;
      }
    }
  }
  for (double& sum : energy) sum /= static_cast<double>(outer * inner);
  return energy;
}

class ChannelPruner {
 public:
  ChannelPruner(const ChannelPruning& pruning, Graph* graph)
      : pruning_(pruning),
        graph_(graph),
        groups_(*graph),
        gone_(static_cast<size_t>(groups_.num_channels()), false) {}

  Result<PrunedChannels> Run() {
    Score();
    for (const auto& [layers, classes] : FindGroups()) {
      Choose(RatioOf(layers), classes);
    }
    KeepOneOfEachPart();
    STINT_RETURN_IF_ERROR(CheckAny());
    PrunedChannels report = Report();
    STINT_RETURN_IF_ERROR(Adjust());
    STINT_RETURN_IF_ERROR(Shrink());
    CorrectTypes();
    STINT_RETURN_IF_ERROR(InferGraph(graph_));
    return report;
  }

 private:
  bool Stays(int32_t channel) const { return !gone_[groups_.Class(channel)]; }
  std::vector<int64_t> Staying(const std::vector<int32_t>& channels) const {
    std::vector<int64_t> indices;
    for (size_t i = 0; i < channels.size(); ++i) {
      if (Stays(channels[i])) indices.push_back(static_cast<int64_t>(i));
    }
    return indices;
  }

  // The norm of all weights that make or read a class, each layer's relative to
  // the mean of that layer.
  void Score() {
    scores_.assign(gone_.size(), 0.0);
    std::vector<int> counts(gone_.size(), 0);
    for (const ChannelUse& use : groups_.uses()) {
      const Tensor& w = *graph_->value(use.constant).constant;
      if (w.dtype() != DType::kFloat32 || w.rank() < 2) continue;
      if (pruning_.energies != nullptr && EnergyOf(use) == nullptr) continue;
      const std::map<int32_t, double> norms = ClassNorms(use, w);
      double mean = 0;
      for (const auto& [root, norm] : norms) mean += norm;
      mean /= static_cast<double>(norms.size());
      if (!(mean > 0)) continue;
      for (const auto& [root, norm] : norms) {
        scores_[root] += norm / mean;
        ++counts[root];
      }
    }
    for (size_t i = 0; i < scores_.size(); ++i) {
      if (counts[i] > 0) scores_[i] /= counts[i];
    }
  }

  // Of what the weights read, by index along their axis; null where they make
  // channels, or nothing is known.
  const std::vector<double>* EnergyOf(const ChannelUse& use) const {
    if (pruning_.energies == nullptr || use.produces) return nullptr;
    const auto found =
        pruning_.energies->find(graph_->node(use.node).inputs[0]);
    const bool fits = found != pruning_.energies->end() &&
                      found->second.size() == use.channels.size();
    return fits ? &found->second : nullptr;
  }

  // Root mean squares of a layer's weights by class, times what they read.
  std::map<int32_t, double> ClassNorms(const ChannelUse& use,
                                       const Tensor& w) const {
    auto energy = SliceEnergy(w, use.axis);
    if (const auto* read = EnergyOf(use)) {
      for (size_t i = 0; i < energy.size(); ++i) energy[i] *= (*read)[i];
    }
    std::map<int32_t, double> sums;
    std::map<int32_t, int> counts;
    for (size_t i = 0; i < energy.size(); ++i) {
      const int32_t root = groups_.Class(use.channels[i]);
      sums[root] += energy[i];
      ++counts[root];
    }
    for (auto& [root, sum] : sums) sum = std::sqrt(sum / counts[root]);
    return sums;
  }

  // Classes that may go, by the layers that make them.
  std::map<std::set<NodeId>, std::set<int32_t>> FindGroups() const {
    std::map<int32_t, std::set<NodeId>> makers;
    for (const ChannelUse& use : groups_.uses()) {
      if (!use.produces) continue;
      for (int32_t channel : use.channels) {
        makers[groups_.Class(channel)].insert(use.node);
      }
    }
    std::map<std::set<NodeId>, std::set<int32_t>> found;
    for (const auto& [root, nodes] : makers) {
      if (groups_.Fixed(root).empty()) found[nodes].insert(root);
    }
    return found;
  }

  double RatioOf(const std::set<NodeId>& layers) const {
    if (pruning_.ratios.empty()) return pruning_.ratio;
    double ratio = 0;
    for (NodeId id : layers) {
      const auto own = pruning_.ratios.find(graph_->node(id).name);
      if (own != pruning_.ratios.end()) ratio = std::max(ratio, own->second);
    }
    return ratio;
  }

  void Choose(double ratio, const std::set<int32_t>& classes) {
    std::vector<int32_t> order(classes.begin(), classes.end());
    const auto count = static_cast<double>(order.size());
    const auto exact = static_cast<int64_t>(std::llround(count * (1 - ratio)));
    const int64_t multiple = pruning_.multiple;
    const int64_t rounded = (exact + multiple - 1) / multiple * multiple;
    const int64_t stay =
        std::min<int64_t>(std::max<int64_t>(rounded, 1), std::ssize(order));
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return scores_[a] > scores_[b];
    });
    for (size_t i = static_cast<size_t>(stay); i < order.size(); ++i) {
      gone_[order[i]] = true;
    }
  }

  // Parts of which nothing is left could not be read.
  void KeepOneOfEachPart() {
    for (const auto& part : groups_.parts()) {
      if (part.empty() || !Staying(part).empty()) continue;
      const int32_t best = *std::max_element(
          part.begin(), part.end(), [&](int32_t a, int32_t b) {
            return scores_[groups_.Class(a)] < scores_[groups_.Class(b)];
          });
      gone_[groups_.Class(best)] = false;
    }
  }

  Status CheckAny() const {
    if ((pruning_.ratio == 0 && pruning_.ratios.empty()) ||
        std::find(gone_.begin(), gone_.end(), true) != gone_.end()) {
      return OkStatus();
    }
    std::string reason = "it has no convolution or linear layer";
    for (const ChannelUse& use : groups_.uses()) {
      if (!use.produces || use.channels.empty()) continue;
      const std::string& fixed = groups_.Fixed(use.channels[0]);
      reason = Describe(graph_->node(use.node)) +
               (fixed.empty() ? ": too few to round" : " is held by " + fixed);
      break;
    }
    return Unsupported("no channel of the model can be taken out: " + reason);
  }

  PrunedChannels Report() const {
    PrunedChannels report;
    for (const ChannelUse& use : groups_.uses()) {
      const ValueId out = graph_->node(use.node).outputs[0];
      report.kept[use.node] = Staying(groups_.Of(out)->channels);
      if (!use.produces) continue;
      report.before += std::ssize(use.channels);
      report.after += std::ssize(report.kept[use.node]);
      for (int32_t channel : use.channels) {
        const std::string& fixed = groups_.Fixed(channel);
        if (!fixed.empty()) ++report.held[fixed];
      }
    }
    for (const auto& [reason, channels] : report.held) {
      report.fixed += channels;
    }
    return report;
  }

  Status Shrink() {
    for (const ChannelUse& use : groups_.uses()) {
      const auto staying = Staying(use.channels);
      if (staying.size() == use.channels.size()) continue;
      auto& constant = graph_->value(use.constant).constant;
      STINT_ASSIGN_OR_RETURN(Tensor smaller,
                             Gather(*constant, use.axis, staying));
      constant = std::move(smaller);
      graph_->value(use.constant).type =
          ValueType::Of(constant->dtype(), constant->shape());
    }
    return OkStatus();
  }

  // What files say of values stays where inference knows no better.
  void CorrectTypes() {
    for (const auto& [value, axis] : groups_.axes()) {
      ValueType& type = graph_->value(value).type;
      if (!type.ranked || axis.axis >= type.rank() ||
          !IsKnown(type.dims[static_cast<size_t>(axis.axis)])) {
        continue;
      }
      type.dims[static_cast<size_t>(axis.axis)] =
          std::ssize(Staying(axis.channels));
    }
  }

  // What operators say about numbers of channels.
  Status Adjust() {
    for (NodeId id : graph_->order()) {
      Node& node = graph_->node(id);
      if (node.inputs.empty() || !node.inputs[0].valid()) continue;
      const ChannelAxis* in = groups_.Of(node.inputs[0]);
      if (in == nullptr) continue;
      Conv* conv = As<Conv>(&node.op);
      // Of larger groups all channels stay.
      if (conv != nullptr && conv->group == std::ssize(in->channels)) {
        conv->group = std::ssize(Staying(in->channels));
      }
      if (As<Pad>(node.op)) AdjustPads(*in, &node);
      // New channels of a Pad may go where all that it reads stay.
      const bool shrinks = Staying(in->channels).size() != in->channels.size();
      if (shrinks && As<Split>(node.op)) AdjustSplit(*in, &node);
      if (shrinks && As<Resize>(node.op)) AdjustSizes(*in, &node);
      if (As<Reshape>(node.op)) AdjustShape(&node);
    }
    return OkStatus();
  }

  void AdjustPads(const ChannelAxis& in, Node* node) {
    const ChannelAxis& out = *groups_.Of(node->outputs[0]);
    if (out.channels.size() == in.channels.size()) return;
    std::vector<int64_t> pads =
        IntsOf(*graph_->value(node->inputs[1]).constant);
    const size_t before = static_cast<size_t>(in.axis);
    const size_t after = before + pads.size() / 2;
    const auto first = static_cast<size_t>(pads[before]);
    const size_t last = first + in.channels.size();
    pads[before] = pads[after] = 0;
    for (size_t i = 0; i < out.channels.size(); ++i) {
      if (!Stays(out.channels[i])) continue;
      pads[before] += i < first;
      pads[after] += i >= last;
    }
    node->inputs[1] =
        graph_->AddConstant(node->name + ".pads", Tensor::Vector(pads));
  }

  // The sizes of parts that are split by channels.
  void AdjustSplit(const ChannelAxis& in, Node* node) {
    Split* split = As<Split>(&node->op);
    const auto rank = std::ssize(graph_->value(node->inputs[0]).type.dims);
    if ((split->axis < 0 ? split->axis + rank : split->axis) != in.axis) return;
    std::vector<int64_t> sizes;
    for (ValueId out : node->outputs) {
      const ChannelAxis* part = groups_.Of(out);
      if (part == nullptr) return;
      sizes.push_back(std::ssize(Staying(part->channels)));
    }
    split->num_outputs = 0;
    node->inputs.resize(2, kNoValue);
    node->inputs[1] =
        graph_->AddConstant(node->name + ".split", Tensor::Vector(sizes));
  }

  // Sizes of images that name the channels as well.
  void AdjustSizes(const ChannelAxis& in, Node* node) {
    if (node->inputs.size() < 4 || !node->inputs[3].valid()) return;
    std::vector<int64_t> sizes =
        IntsOf(*graph_->value(node->inputs[3]).constant);
    const auto& axes = As<Resize>(node->op)->axes;
    const auto rank = std::ssize(graph_->value(node->inputs[0]).type.dims);
    for (size_t i = 0; i < sizes.size(); ++i) {
      int64_t axis = axes.empty() ? static_cast<int64_t>(i) : axes[i];
      if (axis < 0) axis += rank;
      if (axis == in.axis) sizes[i] = std::ssize(Staying(in.channels));
    }
    node->inputs[3] =
        graph_->AddConstant(node->name + ".sizes", Tensor::Vector(sizes));
  }

  void AdjustShape(Node* node) {
    const ChannelAxis* out = groups_.Of(node->outputs[0]);
    const auto& constant = graph_->value(node->inputs[1]).constant;
    if (out == nullptr || !constant) return;
    std::vector<int64_t> shape = IntsOf(*constant);
    if (out->axis != 1 || shape.size() < 2 ||
        shape[1] != std::ssize(out->channels)) {
      return;
    }
    shape[1] = std::ssize(Staying(out->channels));
    node->inputs[1] =
        graph_->AddConstant(node->name + ".shape", Tensor::Vector(shape));
  }

  const ChannelPruning& pruning_;
  Graph* graph_;
  const ChannelGroups groups_;
  std::vector<bool> gone_;  // by class
  std::vector<double> scores_;
};

}  // namespace

Result<PrunedChannels> PruneChannels(const ChannelPruning& pruning,
                                     Graph* graph) {
  STINT_RETURN_IF_ERROR(CheckRatio(pruning.ratio));
  for (const auto& [name, ratio] : pruning.ratios) {
    STINT_RETURN_IF_ERROR(CheckRatio(ratio).Annotate(name));
  }
  return ChannelPruner(pruning, graph).Run();
}

}  // namespace stint
