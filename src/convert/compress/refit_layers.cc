#include "convert/compress/refit_layers.h"

#include <algorithm>
#include <set>

#include "convert/compress/weight_matrix.h"

namespace stint {
namespace {

// Places that are looked at, per weight of an output, and their limits: a layer
// takes their number times the square of its inputs, so the most bound the
// time of wide layers, and the least make the fit of narrow ones sure.
constexpr int64_t kPlacesPerTerm = 64;
constexpr int64_t kLeastPlaces = 1 << 14;
constexpr int64_t kMostPlaces = 1 << 15;

bool IsSum(const Node& node) {
  const Binary* binary = As<Binary>(node.op);
  return binary != nullptr && binary->kind == BinaryKind::kAdd;
}

// Nodes behind those that they read from; of two that are added, the first
// last, so that it can make up for the second.
class FitOrder {
 public:
  explicit FitOrder(const Graph& graph)
      : graph_(graph), placed_(graph.num_nodes(), false) {
    const auto& order = graph.order();
    for (auto id = order.rbegin(); id != order.rend(); ++id) Place(*id);
  }
  const std::vector<NodeId>& order() const { return order_; }

 private:
  void Place(NodeId id) {
    if (placed_[static_cast<size_t>(id.index)]) return;
    placed_[static_cast<size_t>(id.index)] = true;
    const Node& node = graph_.node(id);
    std::vector<ValueId> inputs = node.inputs;
    if (IsSum(node) && !IsWeighted(inputs[0])) std::swap(inputs[0], inputs[1]);
    for (auto in = inputs.rbegin(); in != inputs.rend(); ++in) {
      if (!in->valid()) continue;
      const NodeId maker = graph_.value(*in).producer;
      if (maker.valid()) Place(maker);
    }
    order_.push_back(id);
  }

  bool IsWeighted(ValueId value) const {
    const NodeId maker = graph_.value(value).producer;
    return maker.valid() && WeightsOf(graph_, maker).has_value();
  }

  const Graph& graph_;
  std::vector<bool> placed_;
  std::vector<NodeId> order_;
};

// [n, channels, rows, columns] of an image; a matrix has a pixel per row.
Tensor AsImage(const Tensor& tensor, bool image) {
  if (image) return tensor;
  const int64_t columns = tensor.dim(tensor.rank() - 1);
  return tensor.Reshaped({tensor.size() / columns, columns, 1, 1});
}

class Refit {
 public:
  Refit(const Graph& original, const Samples& samples,
        const RefitOptions& options, ThreadPool* pool, Graph* graph)
      : original_(original),
        samples_(samples),
        options_(options),
        pool_(pool),
        graph_(graph),
        live_(graph->order().begin(), graph->order().end()) {}

  Result<int> Run() {
    FindReaders();
    FindSame();
    STINT_RETURN_IF_ERROR(FindLayers());
    const FitOrder order(original_);
    std::vector<NodeId> rest;
    for (NodeId id : order.order()) {
      if (live_.count(id) > 0) rest.push_back(id);
    }
    was_.emplace(original_, order.order(), samples_, pool_);
    now_.emplace(*graph_, rest, samples_, pool_);
    const ThreadPool::Run awake(pool_);
    for (NodeId id : order.order()) {
      STINT_RETURN_IF_ERROR(was_->RunNode(id));
      if (live_.count(id) > 0) {
        if (same_.count(id) > 0) {
          now_->TakeOutputs(id, *was_);
        } else {
          STINT_RETURN_IF_ERROR(FitNode(id));
          STINT_RETURN_IF_ERROR(now_->RunNode(id));
        }
        now_->Release(id);
      }
      was_->Release(id);
    }
    return fitted_;
  }

 private:
  void FindReaders() {
    for (NodeId id : live_) {
      for (ValueId in : graph_->node(id).inputs) {
        if (in.valid()) readers_[in].push_back(id);
      }
    }
    for (ValueId out : graph_->outputs()) readers_[out].push_back({});
  }

  // Nodes before everything that was changed: they give what they gave.
  void FindSame() {
    std::set<ValueId> changed;
    for (NodeId id : graph_->order()) {
      const Node& was = original_.node(id);
      const Node& now = graph_->node(id);
      const bool same =
          was.inputs == now.inputs &&
          std::all_of(now.inputs.begin(), now.inputs.end(), [&](ValueId in) {
            if (!in.valid()) return true;
            const auto& constant = graph_->value(in).constant;
            return constant
                       ? constant->raw() == original_.value(in).constant->raw()
                       : changed.count(in) == 0;
          });
      if (same) {
        same_.insert(id);
      } else {
        changed.insert(now.outputs.begin(), now.outputs.end());
      }
    }
    // But for layers that make up for what they are added to.
    std::erase_if(same_, [&](NodeId id) {
      const auto other = AddedTo(id);
      return other && changed.count(*other) > 0 && WeightsOf(*graph_, id);
    });
  }

  // Layers get weights and biases of their own before the first runs.
  Status FindLayers() {
    std::map<ValueId, int> passed;  // layers since a change, on any way
    for (NodeId id : graph_->order()) {
      const Node& node = graph_->node(id);
      int count = 0;
      for (ValueId in : node.inputs) {
        if (in.valid()) count = std::max(count, passed[in]);
      }
      if (same_.count(id) == 0 && WeightsOf(*graph_, id) && CanFit(id)) {
        ++count;
        if (options_.reach == 0 || count <= options_.reach) {
          STINT_RETURN_IF_ERROR(OwnConstants(id));
          layers_.insert(id);
        }
      }
      for (ValueId out : node.outputs) passed[out] = count;
    }
    return OkStatus();
  }

  Status OwnConstants(NodeId id) {
    const WeightMatrix matrix = *WeightsOf(*graph_, id);
    STINT_RETURN_IF_ERROR(OwnWeights(matrix, graph_).status());
    if (BiasInput(graph_->node(id).op) < 0) return OkStatus();
    return OwnBias(matrix, graph_).status();
  }

  // Not the constants that several nodes read.
  bool CanFit(NodeId id) const {
    const Node& node = graph_->node(id);
    if (readers_.at(node.inputs[1]).size() != 1) return false;
    const Conv* conv = As<Conv>(node.op);
    if (conv == nullptr) return true;
    const Tensor& w = *graph_->value(node.inputs[1]).constant;
    return w.rank() == 4 &&
           (conv->group == 1 || (conv->group == w.dim(0) && w.dim(1) == 1));
  }

  Status FitNode(NodeId id) {
    if (layers_.count(id) == 0) return OkStatus();
    auto layer = Look(id);
    STINT_RETURN_IF_ERROR(layer.status());
    if (layer->inputs.empty()) return OkStatus();
    const WeightMatrix matrix = *WeightsOf(*graph_, id);
    const Conv* conv = As<Conv>(graph_->node(id).op);
    const int64_t groups = conv != nullptr ? conv->group : 1;
    const int64_t inputs = layer->inputs[0].dim(1) / groups;
    const int64_t outputs = matrix.outputs / groups;
    for (int64_t g = 0; g < groups; ++g) {
      FitGroup(matrix, *layer, {g * inputs, inputs}, {g * outputs, outputs});
    }
    ++fitted_;
    return OkStatus();
  }

  // What the layer reads now and what it should give. Without inputs where one
  // of them is not known.
  Result<FittedLayer> Look(NodeId id) {
    const Node& node = graph_->node(id);
    const Conv* conv = As<Conv>(node.op);
    const bool image = conv != nullptr;
    FittedLayer layer;
    layer.window = {{1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}};
    const auto inputs = now_->Find(node.inputs[0]);
    if (inputs.empty()) return layer;
    if (image) {
      const Tensor& w = *graph_->value(node.inputs[1]).constant;
      STINT_ASSIGN_OR_RETURN(
          layer.window, ResolveWindow({{w.dim(2), w.dim(3)},
                                       conv->strides,
                                       conv->pads,
                                       conv->dilations},
                                      conv->auto_pad,
                                      {inputs[0]->dim(2), inputs[0]->dim(3)}));
    }
    STINT_ASSIGN_OR_RETURN(layer.outputs, Wanted(id, image));
    if (layer.outputs.empty()) return layer;
    for (const Tensor* input : inputs) {
      layer.inputs.push_back(AsImage(*input, image));
    }
    return layer;
  }

  Result<std::vector<Tensor>> Wanted(NodeId id, bool image) {
    std::vector<Tensor> wanted;
    const ValueId out = original_.node(id).outputs[0];
    const auto was = was_->Find(out);
    const auto kept = options_.kept.find(id);
    const std::vector<int64_t> channels =
        kept == options_.kept.end() ? std::vector<int64_t>() : kept->second;
    for (const Tensor* tensor : was) {
      STINT_ASSIGN_OR_RETURN(Tensor made,
                             Pick(AsImage(*tensor, image), channels));
      wanted.push_back(std::move(made));
    }
    const auto [other_was, other_now] = Others(id);
    if (other_was.size() != wanted.size()) return wanted;
    for (size_t s = 0; s < wanted.size(); ++s) {
      STINT_ASSIGN_OR_RETURN(const Tensor before,
                             Pick(AsImage(*other_was[s], image), channels));
      if (before.size() != wanted[s].size() ||
          other_now[s]->size() != wanted[s].size()) {
        break;
      }
      float* to = wanted[s].data<float>();
      const float* now = other_now[s]->data<float>();
      for (int64_t i = 0; i < before.size(); ++i) {
        to[i] += before.data<float>()[i] - now[i];
      }
    }
    return wanted;
  }

  // Reader and place of what the layer's output alone is added to.
  std::optional<std::pair<NodeId, size_t>> SumOf(NodeId id) const {
    const ValueId out = graph_->node(id).outputs[0];
    const auto readers = readers_.find(out);
    if (readers == readers_.end() || readers->second.size() != 1) return {};
    const NodeId reader = readers->second[0];
    if (!reader.valid() || !IsSum(graph_->node(reader))) return {};
    return std::pair(reader, graph_->node(reader).inputs[0] == out ? 1u : 0u);
  }
  std::optional<ValueId> AddedTo(NodeId id) const {
    const auto sum = SumOf(id);
    if (!sum) return std::nullopt;
    return graph_->node(sum->first).inputs[sum->second];
  }

  // What the layer's output is added to, in the original and now; nothing
  // where it is not alone added to something that is known.
  std::pair<std::vector<Tensor*>, std::vector<Tensor*>> Others(NodeId id) {
    const auto sum = SumOf(id);
    if (!sum) return {};
    auto was = was_->Find(original_.node(sum->first).inputs[sum->second]);
    auto now = now_->Find(graph_->node(sum->first).inputs[sum->second]);
    if (was.size() != now.size()) return {};
    return {std::move(was), std::move(now)};
  }

  // Channels of [n, channels, rows, columns], in memory of its own; all where
  // there are none.
  static Result<Tensor> Pick(const Tensor& from,
                             const std::vector<int64_t>& channels) {
    if (channels.empty()) return from.Clone();
    Shape shape = from.shape();
    shape[1] = std::ssize(channels);
    STINT_ASSIGN_OR_RETURN(Tensor made,
                           Tensor::Allocate(DType::kFloat32, shape));
    const int64_t pixels = from.dim(2) * from.dim(3);
    float* to = made.data<float>();
    for (int64_t n = 0; n < from.dim(0); ++n) {
      for (int64_t channel : channels) {
        const float* image =
            from.data<float>() + (n * from.dim(1) + channel) * pixels;
        to = std::copy_n(image, pixels, to);
      }
    }
    return made;
  }

  void FitGroup(const WeightMatrix& matrix, const FittedLayer& layer,
                ChannelRange in, ChannelRange out) {
    const int64_t places = std::clamp(kPlacesPerTerm * (matrix.inputs + 1),
                                      kLeastPlaces, kMostPlaces);
    const NormalEquations equations =
        SumProducts(layer, in, out, places, pool_);
    float* w = graph_->value(matrix.value).constant->data<float>();
    const Node& node = graph_->node(matrix.node);
    const int at = BiasInput(node.op);
    float* bias = at >= 0 ? graph_->value(node.inputs[static_cast<size_t>(at)])
                                .constant->data<float>()
                          : nullptr;
    const int64_t terms = equations.terms;
    std::vector<float> rows(static_cast<size_t>(out.count * terms));
    std::vector<bool> fixed(rows.size(), false);
    for (int64_t o = 0; o < out.count; ++o) {
      for (int64_t i = 0; i < terms - 1; ++i) {
        const auto place = static_cast<size_t>(o * terms + i);
        rows[place] = w[matrix.At(out.first + o, i)];
        fixed[place] = rows[place] == 0;
      }
      const auto last = static_cast<size_t>((o + 1) * terms - 1);
      rows[last] = bias != nullptr ? bias[out.first + o] : 0;
      fixed[last] = bias == nullptr;
    }
    FitWeights(equations, options_.fit, fixed, pool_, &rows);
    for (int64_t o = 0; o < out.count; ++o) {
      for (int64_t i = 0; i < terms - 1; ++i) {
        w[matrix.At(out.first + o, i)] =
            rows[static_cast<size_t>(o * terms + i)];
      }
      if (bias != nullptr) {
        bias[out.first + o] = rows[static_cast<size_t>((o + 1) * terms - 1)];
      }
    }
  }

  const Graph& original_;
  const Samples& samples_;
  const RefitOptions& options_;
  ThreadPool* pool_;
  Graph* graph_;
  const std::set<NodeId> live_;
  std::map<ValueId, std::vector<NodeId>> readers_;  // invalid: an output
  std::set<NodeId> same_;                           // as in the original
  std::set<NodeId> layers_;                         // to be fitted
  std::optional<LayerwiseRun> was_;
  std::optional<LayerwiseRun> now_;
  int fitted_ = 0;
};

}  // namespace

Result<int> RefitLayers(const Graph& original, const Samples& samples,
                        const RefitOptions& options, ThreadPool* pool,
                        Graph* graph) {
  return Refit(original, samples, options, pool, graph).Run();
}

}  // namespace stint
