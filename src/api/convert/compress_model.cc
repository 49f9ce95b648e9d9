#include <cstdlib>

#include "convert/compress/layerwise_run.h"
#include "convert/compress/match_statistics.h"
#include "convert/compress/prune_channels.h"
#include "convert/compress/prune_weights.h"
#include "convert/compress/quantize_graph.h"
#include "convert/compress/store_half.h"
#include "convert/passes/pipeline.h"
#include "stint/compress.h"
#include "weights/package/package.h"

namespace stint {
namespace {

struct ObserverName {
  RangeObserver observer;
  std::string_view name;
};
constexpr ObserverName kObservers[] = {
    {RangeObserver::kBest, "best"},
    {RangeObserver::kMinMax, "min-max"},
    {RangeObserver::kPercentile, "percentile"},
    {RangeObserver::kMse, "mse"},
};

Result<RangeObserver> FindObserver(const std::string& name) {
  std::string known;
  for (const ObserverName& entry : kObservers) {
    if (entry.name == name) return entry.observer;
    known += " " + std::string(entry.name);
  }
  return InvalidArgument("observer is '" + name + "', expected one of" + known);
}

int64_t CountParameters(const Graph& graph) {
  int64_t count = 0;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (constant && IsFloat(constant->dtype())) count += constant->size();
  }
  return count;
}

// One compression under way: prune, repair, quantize.
class Compression {
 public:
  Compression(const Package& package, const CompressOptions& options)
      : options_(options),
        pool_(AvailableCpus()),
        package_(WithGraph(package, package.graph->Clone())) {}

  Result<CompressedModel> Run() {
    PassOptions simplify;
    simplify.simplify_only = true;
    STINT_RETURN_IF_ERROR(RunPasses(graph(), simplify).status());
    original_ = graph()->Clone();
    report_.parameters_before = CountParameters(*original_);
    STINT_RETURN_IF_ERROR(Collect());
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

  Status Collect() {
    if (options_.preprocessing) package_.preprocessing = options_.preprocessing;
    if (!options_.data) return OkStatus();
    EvalOptions eval;
    eval.task = options_.data->task;
    eval.data = options_.data->data;
    eval.max_rows = options_.data->rows;
    eval.image = package_.preprocessing.value_or(Preprocessing{});
    STINT_ASSIGN_OR_RETURN(samples_, CollectSamples(package_, eval));
    return OkStatus();
  }

  Status Prune() {
    switch (options_.prune) {
      case PruneKind::kNone:
        return OkStatus();
      case PruneKind::kMagnitude:
      case PruneKind::kLayer:
      case PruneKind::kBlock: {
        const bool blocks = options_.prune == PruneKind::kBlock;
        const WeightPruning pruning{options_.ratio, blocks ? options_.block : 1,
                                    options_.prune != PruneKind::kMagnitude};
        return PruneWeights(pruning, graph()).status();
      }
      case PruneKind::kChannel: {
        STINT_ASSIGN_OR_RETURN(
            PrunedChannels pruned,
            PruneChannels({options_.ratio, options_.channel_multiple},
                          graph()));
        report_.channels_before = pruned.before;
        report_.channels = pruned.after;
        report_.channels_fixed = pruned.fixed;
        kept_ = std::move(pruned.kept);
        return OkStatus();
      }
    }
    return OkStatus();
  }

  Status Recover() {
    if (!options_.recover || samples_.empty() ||
        options_.prune == PruneKind::kNone) {
      return OkStatus();
    }
    STINT_ASSIGN_OR_RETURN(const GraphStatistics wanted,
                           MeasureStatistics(*original_, samples_, &pool_));
    STINT_ASSIGN_OR_RETURN(
        report_.matched_layers,
        MatchStatistics(wanted, samples_, &pool_, {.kept = kept_}, graph()));
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
      layer.weights_before = WeightsOf(*original_, matrix.node)->size();
      report_.zeros += layer.zeros;
      report_.layers.push_back(std::move(layer));
    }
  }

  Status Quantize() {
    switch (options_.quantize) {
      case QuantizeKind::kNone:
        return OkStatus();
      case QuantizeKind::kFloat16:
        return StoreHalf(DType::kFloat16, graph()).status();
      case QuantizeKind::kBFloat16:
        return StoreHalf(DType::kBFloat16, graph()).status();
      case QuantizeKind::kInt8: {
        QuantizeOptions quantize;
        quantize.correct_bias = options_.recover;
        STINT_ASSIGN_OR_RETURN(quantize.observer,
                               FindObserver(options_.observer));
        STINT_ASSIGN_OR_RETURN(
            const QuantizedLayers layers,
            QuantizeGraph(quantize, samples_, &pool_, graph()));
        report_.quantized_convolutions = layers.convolutions;
        return OkStatus();
      }
    }
    return OkStatus();
  }

  const CompressOptions& options_;
  ThreadPool pool_;
  Package package_;
  std::unique_ptr<Graph> original_;
  Samples samples_;
  std::map<NodeId, std::vector<int64_t>> kept_;
  CompressReport report_;
};

// "50%" or "0.5".
std::optional<double> ParseShare(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return std::nullopt;
  const std::string rest = end;
  if (rest == "%") return number / 100;
  return rest.empty() ? std::optional(number) : std::nullopt;
}

struct PruneName {
  std::string_view name;
  PruneKind kind;
  int64_t block;
};
constexpr PruneName kPruneNames[] = {
    {"magnitude", PruneKind::kMagnitude, 1},
    {"layer", PruneKind::kLayer, 1},
    {"4x1", PruneKind::kBlock, 4},
    {"8x1", PruneKind::kBlock, 8},
    {"16x1", PruneKind::kBlock, 16},
    {"channel", PruneKind::kChannel, 1},
};

}  // namespace

Status ParsePruning(const std::string& text, CompressOptions* options) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  for (const PruneName& entry : kPruneNames) {
    if (entry.name != name || colon == std::string::npos) continue;
    const auto share = ParseShare(text.substr(colon + 1));
    if (!share || !(*share >= 0 && *share < 1)) {
      return InvalidArgument("pruning ratio is '" + text.substr(colon + 1) +
                             "', expected 0% to less than 100%");
    }
    options->prune = entry.kind;
    options->block = entry.block;
    options->ratio = *share;
    return OkStatus();
  }
  return InvalidArgument("pruning is '" + text +
                         "', expected magnitude, layer, 4x1, 8x1, 16x1 or "
                         "channel, and a ratio: channel:50%");
}

Status ParseQuantization(const std::string& text, CompressOptions* options) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (name == "fp16" || name == "bf16") {
    options->quantize =
        name == "fp16" ? QuantizeKind::kFloat16 : QuantizeKind::kBFloat16;
    if (colon == std::string::npos) return OkStatus();
  } else if (name == "int8") {
    options->quantize = QuantizeKind::kInt8;
    if (colon == std::string::npos) return OkStatus();
    options->observer = text.substr(colon + 1);
    return FindObserver(options->observer).status();
  }
  return InvalidArgument("quantization is '" + text +
                         "', expected fp16, bf16, int8 or int8:OBSERVER");
}

Result<CompressedModel> CompressModel(const Model& model,
                                      const CompressOptions& options) {
  if (options.quantize == QuantizeKind::kInt8 && !options.data) {
    return InvalidArgument("int8 needs data to measure the ranges of images");
  }
  STINT_ASSIGN_OR_RETURN(const Model plain, model.Restored());
  return Compression(*plain.package(), options).Run();
}

Result<Model> OptimizeModel(const Model& model) {
  const Package& from = *model.package();
  Package package = WithGraph(from, from.graph->Clone());
  STINT_RETURN_IF_ERROR(RunPasses(package.graph.get()).status());
  return Model(std::make_shared<Package>(std::move(package)));
}

}  // namespace stint
