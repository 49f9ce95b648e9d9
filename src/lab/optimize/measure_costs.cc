#include "lab/optimize/measure_costs.h"

#include <algorithm>
#include <set>

#include "lab/optimize/trial.h"
#include "model/graph/graph.h"
#include "weights/package/package.h"

namespace stint {
namespace {

// Operators that only change the form of an image.
constexpr std::string_view kConversions[] = {"QuantizeImage", "DequantizeImage",
                                             "FromBlocked", "ToBlocked"};

bool IsConversion(const std::string& op) {
  return std::count(std::begin(kConversions), std::end(kConversions), op) > 0;
}

struct Profiled {
  std::map<std::string, double> layers;  // by node, us
  std::map<std::string, std::string> ops;
  double conversions = 0;
  double total = 0;
};

Profiled Sum(const std::vector<Trial::Step>& steps) {
  Profiled sum;
  for (const Trial::Step& step : steps) {
    sum.total += step.us;
    if (IsConversion(step.op)) {
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

class CostMeasurement {
 public:
  CostMeasurement(const CostOptions& options, const Runtime& runtime,
                  Compressor* compressor)
      : options_(options),
        runtime_(runtime),
        compressor_(compressor),
        layers_(FindLayers(*compressor->package().graph)) {}

  Result<MeasuredCosts> Run() {
    if (layers_.empty() || compressor_->samples().empty()) {
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
  struct Measured {
    Profiled profile;
    double loss = 0;
    std::set<std::string> narrower;  // layers that make fewer channels
  };

  Result<Measured> Try(const TrialOptions& trial) {
    STINT_ASSIGN_OR_RETURN(Trial made,
                           Trial::Make(trial, runtime_, compressor_));
    Measured measured;
    STINT_ASSIGN_OR_RETURN(const auto answers, made.Answers());
    if (answers_.empty()) {
      answers_ = answers;
      size_t rows = 0;
      for (const auto& sample : compressor_->samples()) {
        rows += static_cast<size_t>(sample[0].tensor().dim(0));
      }
      classes_ = std::max<size_t>(1, answers.size() / rows);
    }
    measured.loss = AnswerLoss(answers_, answers, classes_);
    STINT_ASSIGN_OR_RETURN(const auto steps, made.Profile());
    measured.profile = Sum(steps);
    measured.narrower = Narrower(*made.model().package()->graph);
    return measured;
  }

  std::set<std::string> Narrower(const Graph& graph) const {
    const Graph& original = *compressor_->package().graph;
    std::map<std::string, NodeId> nodes;
    for (NodeId id : graph.order()) nodes[graph.node(id).name] = id;
    std::set<std::string> names;
    for (const Layer& layer : layers_) {
      const auto found = nodes.find(layer.name);
      if (found == nodes.end()) continue;
      const auto channels = [](const Graph& g, NodeId id) {
        return g.value(g.node(id).outputs[0]).type.dims[1];
      };
      if (channels(graph, found->second) < channels(original, layer.node)) {
        names.insert(layer.name);
      }
    }
    return names;
  }

  Result<Measured> TryLayer(const std::string& name,
                            const LayerCompression& what) {
    TrialOptions trial;
    trial.compress.layers[name] = what;
    trial.compress.channel_multiple = options_.channel_multiple;
    return Try(trial);
  }

  double TimeOf(const Profiled& profile, const std::string& name) const {
    const auto found = profile.layers.find(name);
    return found != profile.layers.end() ? found->second : 0;
  }

  Status MeasureWhole() {
    STINT_ASSIGN_OR_RETURN(const Measured whole, Try({}));
    whole_ = whole.profile;
    double sum = 0;
    for (const Layer& layer : layers_) {
      LayerCosts costs;
      costs.name = layer.name;
      costs.plain.push_back({{}, TimeOf(whole_, layer.name), 0});
      sum += costs.plain[0].us;
      found_.fp32.layers.push_back(std::move(costs));
    }
    found_.fp32.rest_us = whole_.total - sum;
    const auto narrow = Try({.compress = {}, .precision = "bf16"});
    if (narrow.ok()) {
      narrow_ = narrow->profile;
    }
    return OkStatus();
  }

  Status MeasureLayer(size_t l) {
    const Layer& layer = layers_[l];
    LayerCosts& costs = found_.fp32.layers[l];
    const LayerCompression bytes{.int8 = true};
    STINT_ASSIGN_OR_RETURN(const Measured coded, TryLayer(layer.name, bytes));
    Step();
    const auto op = coded.profile.ops.find(layer.name);
    if (op != coded.profile.ops.end() && op->second == "QuantizedConv") {
      costs.bytes =
          LayerChoice{bytes, TimeOf(coded.profile, layer.name), coded.loss};
      const double extra = coded.profile.conversions - whole_.conversions;
      rates_.push_back(std::max(0.0, extra) /
                       (layer.elements_in + layer.elements_out));
    }
    for (double zeros : options_.zeros) {
      Step();
      if (layer.grouped) continue;
      const LayerCompression sparse{.zeros = zeros};
      STINT_ASSIGN_OR_RETURN(const Measured found,
                             TryLayer(layer.name, sparse));
      costs.plain.push_back(
          {sparse, TimeOf(found.profile, layer.name), found.loss});
    }
    return OkStatus();
  }

  // Groups are named after the first of their layers.
  Status MeasureChannels(size_t l) {
    const Layer& layer = layers_[l];
    if (grouped_.count(layer.name) > 0) return OkStatus();
    ChannelCosts costs{layer.name, {}};
    for (double ratio : options_.channels) {
      Step();
      const auto found = TryLayer(layer.name, {.channels = ratio});
      if (found.status().code() == StatusCode::kUnsupported) continue;
      STINT_RETURN_IF_ERROR(found.status());
      grouped_.insert(found->narrower.begin(), found->narrower.end());
      ChannelChoice choice{ratio, found->loss, FactorsOf(found->profile)};
      if (!choice.factors.empty()) costs.choices.push_back(std::move(choice));
    }
    if (!costs.choices.empty()) {
      found_.fp32.channels.push_back(std::move(costs));
    }
    return OkStatus();
  }

  // Layers that take less time by more than noise.
  std::map<size_t, double> FactorsOf(const Profiled& profile) const {
    constexpr double kNoise = 0.97;
    std::map<size_t, double> factors;
    for (size_t l = 0; l < layers_.size(); ++l) {
      const double before = found_.fp32.layers[l].plain[0].us;
      const double factor = TimeOf(profile, layers_[l].name) / before;
      if (factor < kNoise) factors[l] = factor;
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
    found_.fp32.edges = FindEdges(*compressor_->package().graph, layers_);
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
  Compressor* compressor_;
  const std::vector<Layer> layers_;
  MeasuredCosts found_;
  std::vector<float> answers_;  // of the network as it is
  size_t classes_ = 0;          // numbers per row of them
  Profiled whole_;
  Profiled narrow_;
  std::vector<double> rates_;
  std::set<std::string> grouped_;  // layers of groups that were measured
  int64_t done_ = 0;
  int64_t total_ = 0;
};

}  // namespace

Result<MeasuredCosts> MeasureCosts(const CostOptions& options,
                                   const Runtime& runtime,
                                   Compressor* compressor) {
  return CostMeasurement(options, runtime, compressor).Run();
}

}  // namespace stint
