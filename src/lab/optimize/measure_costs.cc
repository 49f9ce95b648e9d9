#include "lab/optimize/measure_costs.h"

#include <algorithm>
#include <set>

#include "convert/compress/prune/remove_branches.h"
#include "lab/optimize/attempt.h"
#include "model/graph/graph.h"
#include "weights/package/package.h"

namespace stint {
namespace {

struct Profiled {
  std::map<std::string, double> layers;  // by node, us
  std::map<std::string, std::string> ops;
  double conversions = 0;
  double total = 0;
};

Profiled Sum(const std::vector<TimedStep>& steps) {
  Profiled sum;
  for (const TimedStep& step : steps) {
    sum.total += step.us;
    if (IsConversion(step)) {
      sum.conversions += step.us;
    } else {
      sum.layers[step.node] += step.us;
      sum.ops[step.node] = step.op;
    }
  }
  return sum;
}

// A convolution of the graph.
struct Layer {
  NodeId node;
  std::string name;
  double elements_in = 0;
  double elements_out = 0;
  bool grouped = false;
};

double Elements(const Graph& graph, ValueId value) {
  double count = 1;
  for (int64_t dim : graph.value(value).type.dims) {
    if (IsKnown(dim)) count *= static_cast<double>(dim);
  }
  return count;
}

std::vector<Layer> FindLayers(const Graph& graph) {
  std::vector<Layer> layers;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    const Conv* conv = As<Conv>(node.op);
    if (conv == nullptr || !graph.value(node.inputs[1]).constant) continue;
    layers.push_back({id, node.name, Elements(graph, node.inputs[0]),
                      Elements(graph, node.outputs[0]), conv->group > 1});
  }
  return layers;
}

// Layers whose results reach each value without another layer between.
std::vector<LayerEdge> FindEdges(const Graph& graph,
                                 const std::vector<Layer>& layers) {
  std::map<NodeId, size_t> index;
  for (size_t l = 0; l < layers.size(); ++l) index[layers[l].node] = l;
  std::vector<std::set<size_t>> reach(graph.num_values());
  std::set<std::pair<size_t, size_t>> edges;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    std::set<size_t> from;
    for (ValueId in : node.inputs) {
      if (in.valid())
        from.insert(reach[in.index].begin(), reach[in.index].end());
    }
    const auto layer = index.find(id);
    if (layer != index.end()) {
      for (size_t f : from) edges.insert({f, layer->second});
      from = {layer->second};
    } else if (As<Binary>(node.op) && from.size() > 1) {
      // Who are added must agree as well.
      for (size_t f : from) edges.insert({*from.begin(), f});
    }
    for (ValueId out : node.outputs) {
      if (out.valid()) reach[out.index] = from;
    }
  }
  std::vector<LayerEdge> found;
  for (const auto& [from, to] : edges) {
    if (from != to) found.push_back({from, to, layers[from].elements_out});
  }
  return found;
}

// Of all layers in int8 together, in nats: below it, nobody need know which of
// them loses how much.
constexpr double kLittleLoss = 0.02;

// A group of channels that loses more than this, in nats, is in no combination
// that anybody would take; larger shares of it are not tried. (ResNet-8: 0.27
// nats are 2.4 points of accuracy.)
constexpr double kHopelessLoss = 1.5;

class CostMeasurement {
 public:
  CostMeasurement(const CostOptions& options, const Runtime& runtime,
                  const CostCompressors& compressors)
      : options_(options),
        runtime_(runtime),
        compressors_(compressors),
        layers_(FindLayers(*compressors.repairs->package().graph)) {}

  Result<MeasuredCosts> Run() {
    if (layers_.empty() || compressors_.judged.empty()) {
      return Unsupported(layers_.empty()
                             ? "the model has no convolution to choose for"
                             : "there is no data to measure answers on");
    }
    total_ = std::ssize(layers_) *
             (1 + std::ssize(options_.zeros) + std::ssize(options_.channels));
    STINT_RETURN_IF_ERROR(MeasureWhole());
    for (size_t l = 0; l < layers_.size(); ++l) {
      STINT_RETURN_IF_ERROR(MeasureLayer(l));
    }
    for (size_t l = 0; l < layers_.size(); ++l) {
      STINT_RETURN_IF_ERROR(MeasureChannels(l));
    }
    SetEdges();
    FillBf16();
    return std::move(found_);
  }

 private:
  // What answers lose, repaired.
  Result<double> LossOf(AttemptOptions attempt) {
    attempt.compress.repair_reach = options_.repair_reach;
    STINT_ASSIGN_OR_RETURN(
        Attempt made, Attempt::Make(attempt, runtime_, compressors_.repairs));
    STINT_ASSIGN_OR_RETURN(const auto answers,
                           made.Answers(compressors_.judged));
    if (answers_.empty()) {
      answers_ = answers;
      size_t rows = 0;
      for (const auto& sample : compressors_.judged) {
        rows += static_cast<size_t>(sample[0].tensor().dim(0));
      }
      classes_ = std::max<size_t>(1, answers.size() / rows);
    }
    return AnswerLoss(answers_, answers, classes_);
  }

  // Channels that layers read and make; 0 of those that are gone.
  using WidthsByLayer = std::vector<std::pair<int64_t, int64_t>>;
  struct Timed {
    Profiled profile;
    WidthsByLayer widths;
  };

  // Whatever the weights are.
  Result<Timed> Time(AttemptOptions attempt) {
    attempt.compress.recovery = Recovery::kNone;
    STINT_ASSIGN_OR_RETURN(
        Attempt made, Attempt::Make(attempt, runtime_, compressors_.times));
    STINT_ASSIGN_OR_RETURN(const auto steps, made.Profile());
    return Timed{Sum(steps), WidthsOf(*made.model().package()->graph)};
  }

  // Channels that a layer reads and makes.
  static std::pair<int64_t, int64_t> ChannelsOf(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    return {graph.value(node.inputs[0]).type.dims[1],
            graph.value(node.outputs[0]).type.dims[1]};
  }

  WidthsByLayer WidthsOf(const Graph& graph) const {
    std::map<std::string, NodeId> nodes;
    for (NodeId id : graph.order()) nodes[graph.node(id).name] = id;
    WidthsByLayer widths;
    for (const Layer& layer : layers_) {
      const auto found = nodes.find(layer.name);
      widths.push_back(found != nodes.end() ? ChannelsOf(graph, found->second)
                                            : std::pair<int64_t, int64_t>());
    }
    return widths;
  }

  static AttemptOptions OneLayer(const std::string& name,
                                 const LayerCompression& what) {
    AttemptOptions attempt;
    attempt.compress.layers[name] = what;
    return attempt;
  }

  double TimeOf(const Profiled& profile, const std::string& name) const {
    const auto found = profile.layers.find(name);
    return found != profile.layers.end() ? found->second : 0;
  }

  Status MeasureWhole() {
    STINT_RETURN_IF_ERROR(LossOf({}).status());  // the answers themselves
    STINT_ASSIGN_OR_RETURN(const Timed whole, Time({}));
    whole_ = base_ = whole.profile;
    widths_ = whole.widths;
    double sum = 0;
    for (const Layer& layer : layers_) {
      CompressionCosts costs;
      costs.name = layer.name;
      costs.plain.push_back({{}, TimeOf(whole_, layer.name), 0});
      sum += costs.plain[0].us;
      found_.fp32.layers.push_back(std::move(costs));
    }
    found_.fp32.rest_us = whole_.total - sum;
    const auto narrow = Time({.compress = {}, .precision = "bf16"});
    if (narrow.ok()) narrow_ = narrow->profile;
    AttemptOptions bytes;
    bytes.compress.quantize = QuantizeKind::kInt8;
    bytes.compress.integer_layers = IntegerLayers::kByRule;
    STINT_ASSIGN_OR_RETURN(const Timed coded, Time(bytes));
    in_bytes_ = coded.profile.total < whole_.total;
    if (in_bytes_) base_ = coded.profile;
    STINT_ASSIGN_OR_RETURN(bytes_loss_, LossOf(bytes));
    return OkStatus();
  }

  Status MeasureLayer(size_t l) {
    const Layer& layer = layers_[l];
    CompressionCosts& costs = found_.fp32.layers[l];
    const AttemptOptions bytes = OneLayer(layer.name, {.int8 = true});
    STINT_ASSIGN_OR_RETURN(const Timed coded, Time(bytes));
    Step();
    const auto op = coded.profile.ops.find(layer.name);
    if (op != coded.profile.ops.end() && op->second == "QuantizedConv") {
      double loss = bytes_loss_ / static_cast<double>(layers_.size());
      if (bytes_loss_ > kLittleLoss) {
        STINT_ASSIGN_OR_RETURN(loss, LossOf(bytes));
      }
      costs.bytes =
          LayerChoice{{.int8 = true}, TimeOf(coded.profile, layer.name), loss};
      const double extra = coded.profile.conversions - whole_.conversions;
      rates_.push_back(std::max(0.0, extra) /
                       (layer.elements_in + layer.elements_out));
    }
    for (double zeros : options_.zeros) {
      Step();
      if (layer.grouped) continue;
      const AttemptOptions sparse = OneLayer(layer.name, {.zeros = zeros});
      STINT_ASSIGN_OR_RETURN(const Timed timed, Time(sparse));
      const double us = TimeOf(timed.profile, layer.name);
      // What int8 does more quickly, it does better, too.
      if (us >= (costs.bytes ? costs.bytes->us : costs.plain[0].us)) continue;
      STINT_ASSIGN_OR_RETURN(const double loss, LossOf(sparse));
      costs.plain.push_back({{.zeros = zeros}, us, loss});
    }
    return OkStatus();
  }

  // Groups are named after the first of their layers.
  Status MeasureChannels(size_t l) {
    const Layer& layer = layers_[l];
    ChannelCosts costs{layer.name, {}};
    const Graph& graph = *compressors_.repairs->package().graph;
    if (const auto sum = SumOfBranch(graph, layer.node)) costs.sum = sum->index;
    WidthsByLayer last = widths_;
    const bool was_narrowed = grouped_.count(l) > 0;
    const bool was_gone = gone_.count(l) > 0;
    bool hopeless = false;
    for (double ratio : options_.channels) {
      Step();
      if (ratio < 1 ? was_narrowed || hopeless : was_gone) continue;
      AttemptOptions fewer = OneLayer(layer.name, {.channels = ratio});
      fewer.compress.channel_multiple = options_.channel_multiple;
      AttemptOptions timed = fewer;
      for (size_t i = 0; in_bytes_ && i < layers_.size(); ++i) {
        timed.compress.layers[layers_[i].name].int8 = true;
      }
      const auto time = Time(timed);
      if (time.status().code() == StatusCode::kUnsupported) continue;
      STINT_RETURN_IF_ERROR(time.status());
      Join(time->widths);
      if (time->widths == last) continue;  // rounded to the same
      last = time->widths;
      ChannelChoice choice{ratio, 0, FactorsOf(*time)};
      STINT_ASSIGN_OR_RETURN(choice.loss, LossOf(fewer));
      hopeless = choice.loss > kHopelessLoss;
      costs.choices.push_back(std::move(choice));
    }
    if (!costs.choices.empty()) {
      found_.fp32.channels.push_back(std::move(costs));
    }
    return OkStatus();
  }

  // Layers that make fewer channels, or go, together.
  void Join(const WidthsByLayer& widths) {
    for (size_t i = 0; i < layers_.size(); ++i) {
      if (widths[i].second == 0) {
        gone_.insert(i);
      } else if (widths[i].second < widths_[i].second) {
        grouped_.insert(i);
      }
    }
  }

  // Of the time of layers that have become smaller.
  std::map<size_t, double> FactorsOf(const Timed& timed) const {
    std::map<size_t, double> factors;
    for (size_t l = 0; l < layers_.size(); ++l) {
      if (timed.widths[l] == widths_[l]) continue;
      const double before = TimeOf(base_, layers_[l].name);
      const double after = TimeOf(timed.profile, layers_[l].name);
      factors[l] = before > 0 ? std::min(1.0, after / before) : 1;
    }
    return factors;
  }

  void SetEdges() {
    double rate = 0;  // us per element
    if (!rates_.empty()) {
      std::nth_element(rates_.begin(), rates_.begin() + rates_.size() / 2,
                       rates_.end());
      rate = rates_[rates_.size() / 2];
    }
    found_.fp32.edges =
        FindEdges(*compressors_.repairs->package().graph, layers_);
    for (LayerEdge& edge : found_.fp32.edges) edge.us *= rate;
  }

  void FillBf16() {
    if (narrow_.layers.empty() || narrow_.total >= whole_.total) return;
    found_.bf16 = found_.fp32;
    double sum = 0;
    for (size_t l = 0; l < layers_.size(); ++l) {
      found_.bf16.layers[l].plain[0].us = TimeOf(narrow_, layers_[l].name);
      sum += found_.bf16.layers[l].plain[0].us;
    }
    found_.bf16.rest_us = narrow_.total - sum;
  }

  void Step() {
    if (options_.progress) options_.progress(std::min(++done_, total_), total_);
  }

  const CostOptions& options_;
  const Runtime& runtime_;
  const CostCompressors& compressors_;
  const std::vector<Layer> layers_;
  MeasuredCosts found_;
  std::vector<float> answers_;  // of the network as it is
  size_t classes_ = 0;          // numbers per row of them
  Profiled whole_;
  Profiled narrow_;
  // What channels are timed in: the network in int8 where that is faster.
  Profiled base_;
  bool in_bytes_ = false;
  double bytes_loss_ = 0;  // of all layers in int8
  std::vector<double> rates_;
  WidthsByLayer widths_;      // of the network as it is
  std::set<size_t> grouped_;  // layers whose channels were measured
  std::set<size_t> gone_;     // layers whose branches were
  int64_t done_ = 0;
  int64_t total_ = 0;
};

}  // namespace

Result<MeasuredCosts> MeasureCosts(const CostOptions& options,
                                   const Runtime& runtime,
                                   const CostCompressors& compressors) {
  return CostMeasurement(options, runtime, compressors).Run();
}

}  // namespace stint
