#include "convert/compress/repair/refit_layers.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "convert/compress/repair/layer_chain.h"
#include "convert/compress/repair/streamed_runs.h"

namespace stint {
namespace {

// Places that are looked at, per weight of an output, and their limits: a layer
// takes their number times the square of its inputs, so the most bound the
// time of wide layers, and the least make the fit of narrow ones sure.
constexpr int64_t kPlacesPerTerm = 64;
constexpr int64_t kLeastPlaces = 1 << 14;
constexpr int64_t kMostPlaces = 1 << 15;
// Places by which a fit is judged, of all groups of a layer.
constexpr int64_t kJudgedPlaces = 2048;
constexpr int64_t kLeastJudged = 256;

// [n, channels, rows, columns] of an image; a matrix has a pixel per row.
Tensor AsImage(const Tensor& tensor, bool image) {
  if (image) return tensor;
  const int64_t columns = tensor.dim(tensor.rank() - 1);
  return tensor.Reshaped({tensor.size() / columns, columns, 1, 1});
}

// Channels of [n, channels, rows, columns], in memory of its own; all where
// there are none.
Result<Tensor> Pick(const Tensor& from, const std::vector<int64_t>& channels) {
  if (channels.empty()) return from.Clone();
  Shape shape = from.shape();
  shape[1] = std::ssize(channels);
  STINT_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(DType::kFloat32, shape));
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

// A layer that is fitted.
struct Target {
  NodeId node;
  WeightMatrix matrix;
  ValueId bias = kNoValue;     // one number per output, or nothing
  bool bias_is_added = false;  // by a node of its own
  int64_t groups = 1;
};

// One group of a layer: its sums, and its weights with the bias behind them.
struct GroupFit {
  LayerPlaces places;
  std::optional<ProductSum> sum;
  std::optional<JudgedPlaces> judged;
  std::vector<float> before;
  std::vector<float> after;
};

class Refit {
 public:
  Refit(const Graph& original, const RepairSamples& samples,
        const RefitOptions& options, ThreadPool* pool, Graph* graph)
      : original_(original),
        samples_(samples.fit),
        fit_count_(samples.fit.size()),
        options_(options),
        pool_(pool),
        graph_(graph),
        chain_(*graph),
        live_(graph->order().begin(), graph->order().end()) {
    samples_.insert(samples_.end(), samples.held_back.begin(),
                    samples.held_back.end());
  }

  Result<std::vector<FittedLayer>> Run() {
    FindSame();
    STINT_RETURN_IF_ERROR(FindLayers());
    if (layers_.empty() || fit_count_ == 0) return std::move(report_);
    const std::vector<NodeId> order = FitOrder(original_);
    runs_.emplace(TwinGraphs{&original_, graph_, order, live_, same_}, samples_,
                  options_.kept_bytes, pool_);
    const ThreadPool::Run awake(pool_);
    STINT_RETURN_IF_ERROR(runs_->Measure());
    for (size_t position = 0; position < order.size(); ++position) {
      if (layers_.count(order[position]) > 0) {
        STINT_RETURN_IF_ERROR(FitLayer(position, order[position]));
      }
    }
    return std::move(report_);
  }

 private:
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
    // But for layers, and their biases, that make up for what they are added
    // to.
    for (NodeId id : graph_->order()) {
      const auto other = AddedTo(id);
      if (!other || changed.count(*other) == 0 || !WeightsOf(*graph_, id)) {
        continue;
      }
      same_.erase(id);
      if (const auto bias = chain_.BiasOf(id)) same_.erase(bias->sum);
      const NodeId turn = graph_->value(graph_->node(id).inputs[1]).producer;
      if (turn.valid()) same_.erase(turn);
    }
  }

  std::optional<ValueId> AddedTo(NodeId id) const {
    const auto sum = chain_.SumOf(id);
    if (!sum) return std::nullopt;
    return graph_->node(sum->first).inputs[sum->second];
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
          STINT_RETURN_IF_ERROR(AddLayer(id));
        }
      }
      for (ValueId out : node.outputs) passed[out] = count;
    }
    return OkStatus();
  }

  Status AddLayer(NodeId id) {
    Target target;
    target.node = id;
    target.matrix = *WeightsOf(*graph_, id);
    const Conv* conv = As<Conv>(graph_->node(id).op);
    if (conv != nullptr) target.groups = conv->group;
    const int64_t terms = target.matrix.inputs + 1;
    const int64_t outputs = target.matrix.outputs / target.groups;
    if (target.groups * ProductSum::Bytes(terms, outputs) >
        options_.sum_bytes) {
      report_.push_back(
          {.name = graph_->node(id).name, .reason = "too wide for the memory"});
      return OkStatus();
    }
    STINT_RETURN_IF_ERROR(OwnWeights(target.matrix, graph_).status());
    if (const int at = BiasInput(graph_->node(id).op); at >= 0) {
      STINT_RETURN_IF_ERROR(OwnBias(target.matrix, graph_).status());
      target.bias = graph_->node(id).inputs[static_cast<size_t>(at)];
    } else if (const auto added = chain_.BiasOf(id)) {
      target.bias = added->bias;
      target.bias_is_added = true;
      auto& constant = graph_->value(added->bias).constant;
      STINT_ASSIGN_OR_RETURN(Tensor own, constant->Clone());
      constant = std::move(own);
    }
    layers_[id] = target;
    return OkStatus();
  }

  // Not the constants that several nodes read.
  bool CanFit(NodeId id) const {
    const Node& node = graph_->node(id);
    const auto matrix = WeightsOf(*graph_, id);
    if (chain_.Readers(node.inputs[1]).size() != 1 ||
        chain_.Readers(matrix->value).size() != 1) {
      return false;
    }
    const Conv* conv = As<Conv>(node.op);
    if (conv == nullptr) return true;
    const Tensor& w = *graph_->value(node.inputs[1]).constant;
    return w.rank() == 4 &&
           (conv->group == 1 || (conv->group == w.dim(0) && w.dim(1) == 1));
  }

  Status FitLayer(size_t position, NodeId id) {
    const Target& target = layers_.at(id);
    std::vector<GroupFit> groups = MakeGroups(target);
    bool known = true;
    STINT_RETURN_IF_ERROR(runs_->Visit(
        position, [&](size_t s, LayerRun* was, LayerRun* now) -> Status {
          STINT_ASSIGN_OR_RETURN(const auto sample, Look(target, was, now));
          known = known && sample.has_value();
          for (GroupFit& group : groups) {
            if (!known) break;
            s < fit_count_ ? group.sum->Add(*sample)
                           : group.judged->Add(*sample);
          }
          return OkStatus();
        }));
    if (known) Fit(target, &groups);
    return OkStatus();
  }

  std::vector<GroupFit> MakeGroups(const Target& target) {
    int64_t totals[2] = {0, 0};  // of samples to fit on, and of the others
    const int64_t outputs = WeightsOf(original_, target.node)->outputs;
    for (size_t s = 0; s < samples_.size(); ++s) {
      totals[s < fit_count_ ? 0 : 1] += runs_->SizeOn(s, target.node) / outputs;
    }
    const WeightMatrix& matrix = target.matrix;
    const int64_t inputs = matrix.inputs / matrix.taps;
    const int64_t count = matrix.outputs / target.groups;
    std::vector<GroupFit> groups(static_cast<size_t>(target.groups));
    for (size_t g = 0; g < groups.size(); ++g) {
      const auto i = static_cast<int64_t>(g);
      LayerPlaces& places = groups[g].places;
      places = {{i * inputs, inputs}, {i * count, count}, matrix.taps};
      places.total = totals[0];
      places.most = std::clamp(kPlacesPerTerm * (matrix.inputs + 1),
                               kLeastPlaces, kMostPlaces);
      groups[g].sum.emplace(places, pool_);
      places.total = totals[1];
      places.most = std::max(kLeastJudged, kJudgedPlaces / target.groups);
      groups[g].judged.emplace(places, pool_);
    }
    return groups;
  }

  // What the layer reads now and what it should give; nothing where one of them
  // is not known.
  Result<std::optional<LayerSample>> Look(const Target& target, LayerRun* was,
                                          LayerRun* now) const {
    const Node& node = graph_->node(target.node);
    const Conv* conv = As<Conv>(node.op);
    const bool image = conv != nullptr;
    const Tensor* input = now->Find(node.inputs[0]);
    if (input == nullptr) return std::optional<LayerSample>();
    LayerSample sample;
    sample.window = {{1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}};
    sample.input = AsImage(*input, image);
    if (image) {
      const Tensor& w = *graph_->value(node.inputs[1]).constant;
      STINT_ASSIGN_OR_RETURN(
          sample.window,
          ResolveWindow({{w.dim(2), w.dim(3)},
                         conv->strides,
                         conv->pads,
                         conv->dilations},
                        conv->auto_pad, {input->dim(2), input->dim(3)}));
    }
    STINT_ASSIGN_OR_RETURN(auto wanted, Wanted(target.node, image, was, now));
    if (!wanted) return std::optional<LayerSample>();
    sample.output = std::move(*wanted);
    return std::optional(std::move(sample));
  }

  Result<std::optional<Tensor>> Wanted(NodeId id, bool image, LayerRun* was,
                                       LayerRun* now) const {
    const Tensor* gave = was->Find(original_.node(id).outputs[0]);
    if (gave == nullptr) return std::optional<Tensor>();
    const auto kept = options_.kept.find(id);
    const std::vector<int64_t> channels =
        kept == options_.kept.end() ? std::vector<int64_t>() : kept->second;
    STINT_ASSIGN_OR_RETURN(Tensor wanted,
                           Pick(AsImage(*gave, image), channels));
    // What the layer's output is added to, in the original and now.
    const auto sum = chain_.SumOf(id);
    if (!sum || live_.count(sum->first) == 0)
      return std::optional(std::move(wanted));
    const Tensor* other =
        was->Find(original_.node(sum->first).inputs[sum->second]);
    const Tensor* other_now =
        now->Find(graph_->node(sum->first).inputs[sum->second]);
    if (other == nullptr || other_now == nullptr)
      return std::optional(std::move(wanted));
    STINT_ASSIGN_OR_RETURN(const Tensor before,
                           Pick(AsImage(*other, image), channels));
    if (before.size() != wanted.size() || other_now->size() != wanted.size()) {
      return std::optional(std::move(wanted));
    }
    float* to = wanted.data<float>();
    const float* less = other_now->data<float>();
    for (int64_t i = 0; i < before.size(); ++i) {
      to[i] += before.data<float>()[i] - less[i];
    }
    return std::optional(std::move(wanted));
  }

  void Fit(const Target& target, std::vector<GroupFit>* groups) {
    JudgedPlaces::Squares before, after;
    for (GroupFit& group : *groups) {
      std::vector<bool> fixed;
      group.before = ReadWeights(target, group.places.out, &fixed);
      group.after = group.before;
      const NormalEquations equations = group.sum->Finish();
      group.sum.reset();
      FitWeights(equations, options_.fit, fixed, pool_, &group.after);
      AddTo(group.judged->Judge(group.before), &before);
      AddTo(group.judged->Judge(group.after), &after);
    }
    FittedLayer layer;
    layer.name = graph_->node(target.node).name;
    layer.before = Distance(before);
    layer.after = Distance(after);
    layer.kept = fit_count_ == samples_.size() || after.error < before.error;
    if (layer.kept) {
      for (const GroupFit& group : *groups) {
        WriteWeights(target, group.places.out, group.after);
      }
    }
    report_.push_back(std::move(layer));
  }

  static void AddTo(const JudgedPlaces::Squares& part,
                    JudgedPlaces::Squares* sum) {
    sum->error += part.error;
    sum->size += part.size;
  }
  static double Distance(const JudgedPlaces::Squares& squares) {
    return squares.size > 0 ? std::sqrt(squares.error / squares.size) : 0;
  }

  float* Bias(const Target& target) const {
    if (!target.bias.valid()) return nullptr;
    return graph_->value(target.bias).constant->data<float>();
  }

  // [outputs, terms], the bias last; of one that is added elsewhere, how much
  // is to be added to that.
  std::vector<float> ReadWeights(const Target& target, ChannelRange out,
                                 std::vector<bool>* fixed) const {
    const WeightMatrix& matrix = target.matrix;
    const float* w = graph_->value(matrix.value).constant->data<float>();
    const float* bias = Bias(target);
    const int64_t terms = matrix.inputs + 1;
    std::vector<float> rows(static_cast<size_t>(out.count * terms), 0.0f);
    fixed->assign(rows.size(), false);
    for (int64_t o = 0; o < out.count; ++o) {
      for (int64_t i = 0; i < terms - 1; ++i) {
        const auto place = static_cast<size_t>(o * terms + i);
        rows[place] = w[matrix.At(out.first + o, i)];
        (*fixed)[place] = rows[place] == 0;
      }
      const auto last = static_cast<size_t>((o + 1) * terms - 1);
      if (bias == nullptr) {
        (*fixed)[last] = true;
      } else if (!target.bias_is_added) {
        rows[last] = bias[out.first + o];
      }
    }
    return rows;
  }

  void WriteWeights(const Target& target, ChannelRange out,
                    const std::vector<float>& rows) {
    const WeightMatrix& matrix = target.matrix;
    float* w = graph_->value(matrix.value).constant->data<float>();
    float* bias = Bias(target);
    const int64_t terms = matrix.inputs + 1;
    for (int64_t o = 0; o < out.count; ++o) {
      for (int64_t i = 0; i < terms - 1; ++i) {
        w[matrix.At(out.first + o, i)] =
            rows[static_cast<size_t>(o * terms + i)];
      }
      if (bias == nullptr) continue;
      const float last = rows[static_cast<size_t>((o + 1) * terms - 1)];
      bias[out.first + o] =
          target.bias_is_added ? bias[out.first + o] + last : last;
    }
  }

  const Graph& original_;
  Samples samples_;  // those that are held back behind the others
  const size_t fit_count_;
  const RefitOptions& options_;
  ThreadPool* pool_;
  Graph* graph_;
  const LayerChain chain_;
  const std::set<NodeId> live_;
  std::set<NodeId> same_;            // as in the original
  std::map<NodeId, Target> layers_;  // to be fitted
  std::optional<StreamedRuns> runs_;
  std::vector<FittedLayer> report_;
};

}  // namespace

Result<std::vector<FittedLayer>> RefitLayers(const Graph& original,
                                             const RepairSamples& samples,
                                             const RefitOptions& options,
                                             ThreadPool* pool, Graph* graph) {
  return Refit(original, samples, options, pool, graph).Run();
}

}  // namespace stint
