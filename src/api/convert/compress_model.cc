#include <algorithm>
#include <set>

#include "api/convert/choose_integers.h"
#include "convert/compress/integers/quantize_graph.h"
#include "convert/compress/prune/prune_channels.h"
#include "convert/compress/prune/prune_weights.h"
#include "convert/compress/prune/remove_branches.h"
#include "convert/compress/repair/layerwise_run.h"
#include "convert/compress/repair/match_statistics.h"
#include "convert/compress/repair/refit_layers.h"
#include "convert/compress/store_half.h"
#include "convert/passes/pipeline.h"
#include "stint/compress.h"
#include "weights/package/package.h"

namespace stint {
namespace {

// Ranges and means settle long before a fit does: CIFAR-10 ResNet-20 in int8
// is right 9,167 times of 10,000 with ranges of 256 rows, 9,168 with 4,000.
constexpr int64_t kRowsForRanges = 512;

// Samples that hold the first `rows` rows.
Samples FirstRows(const Samples& samples, int64_t rows) {
  Samples first;
  for (const auto& sample : samples) {
    if (rows <= 0) break;
    first.push_back(sample);
    const Shape& shape = sample[0].tensor().shape();
    rows -= shape.empty() ? 1 : shape[0];
  }
  return first;
}

// Of which memory is used: for the process itself, and for each of the
// original, the pruned and the repaired weights.
constexpr int64_t kOwnBytes = 500 << 20;
constexpr int64_t kCopies = 3;
constexpr int64_t kLeastWorkBytes = 64 << 20;

int64_t WeightBytes(const Graph& graph) {
  int64_t bytes = 0;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (constant) bytes += static_cast<int64_t>(constant->bytes());
  }
  return bytes;
}

// What is left for work of a limit for the whole process; 0: none was given.
int64_t WorkBytes(const Graph& graph, int64_t limit) {
  const int64_t copies = kCopies * WeightBytes(graph);
  if (limit == 0) limit = copies + kOwnBytes;
  return std::max(kLeastWorkBytes, limit - copies);
}

int64_t CountParameters(const Graph& graph) {
  int64_t count = 0;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (constant && IsFloat(constant->dtype())) count += constant->size();
  }
  return count;
}

}  // namespace

struct Compressor::State {
  explicit State(Package simplified)
      : pool(AvailableCpus()), package(std::move(simplified)) {}

  // Of the model as it is; measured when first asked for.
  Result<const GraphStatistics*> Statistics() {
    if (!statistics) {
      STINT_ASSIGN_OR_RETURN(
          statistics, MeasureStatistics(*package.graph, samples.fit, &pool));
    }
    return &*statistics;
  }

  Result<const ChannelEnergies*> Energies() {
    if (samples.fit.empty()) return nullptr;
    if (!energies) {
      STINT_ASSIGN_OR_RETURN(
          energies, MeasureEnergies(*package.graph, samples.fit, &pool));
    }
    return &*energies;
  }

  ThreadPool pool;
  Package package;  // with the simplified graph
  RepairSamples samples;
  int64_t work_bytes = 0;
  std::optional<GraphStatistics> statistics;
  std::optional<ChannelEnergies> energies;
};

namespace {

// One compression under way: prune, repair, quantize. State is private to
// Compressor, hence a parameter.
template <typename State>
class Compression {
 public:
  Compression(const CompressOptions& options, State* state)
      : options_(options),
        state_(state),
        original_(*state->package.graph),
        package_(WithGraph(state->package, original_.Clone())) {}

  Result<CompressedModel> Run() {
    report_.parameters_before = CountParameters(original_);
    STINT_RETURN_IF_ERROR(Prune());
    STINT_RETURN_IF_ERROR(Recover());
    RemoveDeadNodes(graph());
    CountLayers();
    report_.parameters = CountParameters(*graph());
    STINT_RETURN_IF_ERROR(Quantize());
    RemoveDeadNodes(graph());
    STINT_RETURN_IF_ERROR(VerifyGraph(*graph()));
    return CompressedModel{
        Model(std::make_shared<Package>(std::move(package_))),
        std::move(report_)};
  }

 private:
  Graph* graph() { return package_.graph.get(); }

  static std::set<std::string> NodeNames(const Graph& graph) {
    std::set<std::string> names;
    for (NodeId id : graph.order()) names.insert(graph.node(id).name);
    return names;
  }

  Status CheckLayers() {
    const std::set<std::string> known = NodeNames(original_);
    for (const auto& [name, layer] : options_.layers) {
      if (known.count(name) == 0) {
        return InvalidArgument("the model has no layer '" + name + "'");
      }
    }
    return OkStatus();
  }

  // What else was asked of the layers of a branch goes with it.
  Status PruneLayers() {
    STINT_RETURN_IF_ERROR(CheckLayers());
    std::set<std::string> branches;
    for (const auto& [name, layer] : options_.layers) {
      if (layer.channels == 1) branches.insert(name);
    }
    STINT_RETURN_IF_ERROR(RemoveBranches(branches, graph()));
    RemoveDeadNodes(graph());
    const std::set<std::string> left = NodeNames(*graph());
    std::map<std::string, double> channels;
    std::map<int64_t, std::map<std::string, double>> by_block;
    for (const auto& [name, layer] : options_.layers) {
      if (left.count(name) == 0) continue;
      if (layer.channels != 0) channels[name] = layer.channels;
      if (layer.zeros != 0) by_block[layer.block][name] = layer.zeros;
    }
    if (!channels.empty()) {
      STINT_RETURN_IF_ERROR(TakeChannels(
          {.multiple = options_.channel_multiple, .ratios = channels}));
    }
    for (const auto& [block, ratios] : by_block) {
      STINT_RETURN_IF_ERROR(
          PruneWeights({.block = block, .ratios = ratios}, graph()).status());
    }
    return OkStatus();
  }

  Status TakeChannels(ChannelPruning pruning) {
    if (options_.recovery != Recovery::kNone) {
      STINT_ASSIGN_OR_RETURN(pruning.energies, state_->Energies());
    }
    STINT_ASSIGN_OR_RETURN(PrunedChannels pruned,
                           PruneChannels(pruning, graph()));
    report_.channels_before = pruned.before;
    report_.channels = pruned.after;
    report_.channels_fixed = pruned.fixed;
    report_.channels_held = std::move(pruned.held);
    kept_ = std::move(pruned.kept);
    return OkStatus();
  }

  bool Prunes() const {
    if (options_.layers.empty()) return options_.prune != PruneKind::kNone;
    return std::any_of(
        options_.layers.begin(), options_.layers.end(), [](const auto& layer) {
          return layer.second.channels > 0 || layer.second.zeros > 0;
        });
  }

  Status Prune() {
    if (!options_.layers.empty()) return PruneLayers();
    switch (options_.prune) {
      case PruneKind::kNone:
        return OkStatus();
      case PruneKind::kMagnitude:
      case PruneKind::kLayer:
      case PruneKind::kBlock: {
        const bool blocks = options_.prune == PruneKind::kBlock;
        const WeightPruning pruning{
            .ratio = options_.ratio,
            .block = blocks ? options_.block : 1,
            .channels = blocks ? options_.block_channels : 1,
            .per_layer = options_.prune != PruneKind::kMagnitude};
        return PruneWeights(pruning, graph()).status();
      }
      case PruneKind::kChannel:
        return TakeChannels({options_.ratio, options_.channel_multiple});
    }
    return OkStatus();
  }

  // Repairs, and takes that back where it brings the network no nearer to the
  // original.
  Status Recover() {
    if (state_->samples.fit.empty() || !Prunes() ||
        options_.recovery == Recovery::kNone) {
      return OkStatus();
    }
    const bool judged = !state_->samples.held_back.empty();
    const Samples& judges =
        judged ? state_->samples.held_back : state_->samples.fit;
    report_.repair.emplace();
    RepairReport& repair = *report_.repair;
    repair.rows = CountRows(state_->samples.fit);
    repair.held_back_rows = CountRows(state_->samples.held_back);
    STINT_ASSIGN_OR_RETURN(
        repair.distance_before,
        OutputDistance(original_, *graph(), judges, &state_->pool));
    STINT_RETURN_IF_ERROR(options_.recovery == Recovery::kStatistics
                              ? RecoverStatistics()
                              : Refit());
    STINT_ASSIGN_OR_RETURN(
        repair.distance_after,
        OutputDistance(original_, *graph(), judges, &state_->pool));
    // What is no number is no nearer, either.
    repair.given_up = !(repair.distance_after <= repair.distance_before);
    return repair.given_up ? PruneAnew() : OkStatus();
  }

  // Pruning gives the same again: that takes no memory meanwhile.
  Status PruneAnew() {
    package_.graph = original_.Clone();
    report_.repaired_layers = 0;
    return Prune();
  }

  // Of what there is for work: what is kept between layers, and the sums of one
  // layer.
  int64_t KeptBytes() const { return state_->work_bytes / 2; }
  int64_t SumBytes() const { return state_->work_bytes / 2; }

  Status RecoverStatistics() {
    STINT_ASSIGN_OR_RETURN(const GraphStatistics* wanted, state_->Statistics());
    STINT_ASSIGN_OR_RETURN(
        report_.repaired_layers,
        MatchStatistics(*wanted, state_->samples.fit, &state_->pool,
                        {.kept = kept_, .kept_bytes = KeptBytes()}, graph()));
    return OkStatus();
  }

  Status Refit() {
    RefitOptions refit;
    refit.kept = kept_;
    refit.reach = options_.repair_reach;
    refit.kept_bytes = KeptBytes();
    refit.sum_bytes = SumBytes();
    STINT_ASSIGN_OR_RETURN(
        const auto layers,
        RefitLayers(original_, state_->samples, refit, &state_->pool, graph()));
    for (const FittedLayer& layer : layers) {
      report_.repaired_layers += layer.kept;
      report_.repair->layers.push_back(
          {layer.name, layer.before, layer.after, layer.kept, layer.reason});
    }
    return OkStatus();
  }

  void CountLayers() {
    for (const WeightMatrix& matrix : FindWeights(*graph())) {
      const Tensor& w = *graph()->value(matrix.value).constant;
      CompressedLayer layer;
      layer.name = graph()->node(matrix.node).name;
      layer.weights = w.size();
      for (int64_t i = 0; i < w.size(); ++i) {
        layer.zeros += w.data<float>()[i] == 0;
      }
      layer.weights_before = WeightsOf(original_, matrix.node)->size();
      report_.zeros += layer.zeros;
      report_.layers.push_back(std::move(layer));
    }
  }

  Status Quantize() {
    IntegerOptions quantize;
    for (const auto& [name, layer] : options_.layers) {
      if (layer.int8) quantize.layers.insert(name);
    }
    if (!quantize.layers.empty()) {
      STINT_RETURN_IF_ERROR(QuantizeConvolutions(std::move(quantize)));
    }
    switch (options_.quantize) {
      case QuantizeKind::kNone:
      case QuantizeKind::kCodes:
        return OkStatus();
      case QuantizeKind::kFloat16:
        return StoreHalf(DType::kFloat16, graph()).status();
      case QuantizeKind::kBFloat16:
        return StoreHalf(DType::kBFloat16, graph()).status();
      case QuantizeKind::kInt8:
        return options_.layers.empty() ? QuantizeChosen() : OkStatus();
    }
    return OkStatus();
  }

  Status QuantizeChosen() {
    IntegerOptions quantize;
    STINT_ASSIGN_OR_RETURN(
        quantize.layers, ChooseIntegers(options_, package_, state_->samples.fit,
                                        &state_->pool, &report_));
    return QuantizeConvolutions(std::move(quantize));
  }

  Status QuantizeConvolutions(IntegerOptions quantize) {
    quantize.correct_bias = options_.recovery != Recovery::kNone;
    quantize.kept_bytes = KeptBytes();
    quantize.observer = options_.observer;
    STINT_ASSIGN_OR_RETURN(
        const QuantizedLayers layers,
        QuantizeGraph(quantize, FirstRows(state_->samples.fit, kRowsForRanges),
                      &state_->pool, graph()));
    report_.quantized_convolutions = layers.convolutions;
    NoteFloats(layers, &report_);
    return OkStatus();
  }

  const CompressOptions& options_;
  State* state_;
  const Graph& original_;
  Package package_;
  std::map<NodeId, std::vector<int64_t>> kept_;
  CompressReport report_;
};

}  // namespace

Compressor::Compressor(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

const Package& Compressor::package() const { return state_->package; }
const Samples& Compressor::samples() const { return state_->samples.fit; }

Result<Compressor> Compressor::Create(
    const Model& model, const std::optional<CalibrationData>& data,
    const std::optional<Preprocessing>& preprocessing, int64_t memory_bytes) {
  STINT_ASSIGN_OR_RETURN(const Model plain, model.Restored());
  const Package& from = *plain.package();
  auto state = std::make_unique<State>(WithGraph(from, from.graph->Clone()));
  PassOptions simplify;
  simplify.simplify_only = true;
  STINT_RETURN_IF_ERROR(
      RunPasses(state->package.graph.get(), simplify).status());
  state->work_bytes = WorkBytes(*state->package.graph, memory_bytes);
  if (preprocessing) state->package.preprocessing = preprocessing;
  if (data) {
    EvalOptions eval;
    eval.task = data->task;
    eval.data = data->data;
    eval.max_rows = data->rows;
    eval.image = state->package.preprocessing.value_or(Preprocessing{});
    STINT_ASSIGN_OR_RETURN(state->samples,
                           CollectSamples(state->package, eval,
                                          state->work_bytes / 4, &state->pool));
  }
  return Compressor(std::move(state));
}

Result<CompressedModel> Compressor::Run(const CompressOptions& options) {
  return Compression<State>(options, state_.get()).Run();
}

Result<CompressedModel> CompressModel(const Model& model,
                                      const CompressOptions& options) {
  if (options.quantize == QuantizeKind::kInt8 && !options.data) {
    return InvalidArgument("int8 needs data to measure the ranges of images");
  }
  STINT_ASSIGN_OR_RETURN(
      Compressor compressor,
      Compressor::Create(model, options.data, options.preprocessing,
                         options.memory_bytes));
  return compressor.Run(options);
}

Result<Model> OptimizeModel(const Model& model) {
  const Package& from = *model.package();
  Package package = WithGraph(from, from.graph->Clone());
  STINT_RETURN_IF_ERROR(RunPasses(package.graph.get()).status());
  return Model(std::make_shared<Package>(std::move(package)));
}

}  // namespace stint
