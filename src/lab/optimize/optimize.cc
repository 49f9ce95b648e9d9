#include "lab/optimize/optimize.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "convert/onnx/export.h"
#include "core/meter/statistics.h"
#include "core/platform/clock.h"
#include "lab/optimize/trial.h"

namespace stint {
namespace {

// Prices that are tried: the network's whole time for so many nats that its
// answers lose. Single layers save a small part of that time and lose less.
constexpr double kFirstLoss = 0.003;
constexpr double kLastLoss = 50;
constexpr double kNextLoss = 1.7;
// One thing for all layers.
constexpr const char* kPlainPruning[] = {
    "magnitude:50%", "magnitude:70%", "magnitude:80%", "4x1:30%",    "4x1:50%",
    "4x1:70%",       "channel:10%",   "channel:25%",   "channel:50%"};
constexpr int kRunsInTurn = 4;
constexpr double kQuantile = 0.25;  // of times: others disturb the rest

class Optimization {
 public:
  Optimization(const OptimizeOptions& options, const Runtime& runtime,
               Compressor compressor)
      : options_(options),
        runtime_(runtime),
        compressor_(std::move(compressor)) {}

  Result<OptimizeReport> Run() {
    CostOptions costs = options_.costs;
    costs.progress = [this](int64_t done, int64_t total) {
      Progress("layers", done, total);
    };
    STINT_ASSIGN_OR_RETURN(const MeasuredCosts measured,
                           MeasureCosts(costs, runtime_, &compressor_));
    report_.layers = std::ssize(measured.fp32.layers);
    AddPlain();
    AddCombinations(measured.fp32, "fp32");
    AddCombinations(measured.bf16, "bf16");
    STINT_RETURN_IF_ERROR(EvaluateAll());
    STINT_RETURN_IF_ERROR(TimeAll());
    Judge();
    STINT_RETURN_IF_ERROR(KeepBest());
    return std::move(report_);
  }

 private:
  void Progress(const std::string& phase, int64_t done, int64_t total) const {
    if (options_.progress) options_.progress(phase, done, total);
  }

  void AddPlain() {
    Add("fp32", "fp32", {});
    Add("bf16", "bf16", {});
    CompressOptions bytes;
    bytes.quantize = QuantizeKind::kInt8;
    Add("int8", "fp32", bytes);
    for (const char* name : kPlainPruning) {
      CompressOptions pruned;
      if (ParsePruning(name, &pruned).ok()) Add(name, "fp32", pruned);
    }
  }

  void Add(const std::string& name, const std::string& precision,
           const CompressOptions& compress) {
    OptimizeRow row;
    row.name = name;
    row.plain = true;
    row.precision = precision;
    row.compress = compress;
    report_.rows.push_back(std::move(row));
  }

  void AddCombinations(const NetworkCosts& costs,
                       const std::string& precision) {
    if (costs.layers.empty()) return;
    double total = costs.rest_us;
    for (const LayerCosts& layer : costs.layers) total += layer.plain[0].us;
    std::set<std::string> known;
    for (double for_all = kFirstLoss; for_all < kLastLoss;
         for_all *= kNextLoss) {
      const Combination found = CheapestAt(total / for_all, costs);
      OptimizeRow row;
      row.precision = precision;
      row.compress.layers = found.layers;
      row.compress.channel_multiple = options_.costs.channel_multiple;
      row.predicted_ms = found.us * 1e-3;
      if (found.layers.empty() || !known.insert(Key(row)).second) continue;
      row.name = "mix " + std::to_string(++mixes_);
      report_.rows.push_back(std::move(row));
    }
  }

  static std::string Key(const OptimizeRow& row) {
    std::string key;
    for (const auto& [name, layer] : row.compress.layers) {
      key += name + ' ' + std::to_string(layer.channels) + ' ' +
             std::to_string(layer.zeros) + ' ' +
             (layer.int8 ? "int8" : "float") + '\n';
    }
    return key;
  }

  Result<Trial> Open(const OptimizeRow& row) {
    return Trial::Make({row.compress, row.precision}, runtime_, &compressor_);
  }

  // Rows that cannot be made here go: a precision without kernels, channels
  // that are all held.
  Status EvaluateAll() {
    std::vector<OptimizeRow> rows;
    for (size_t i = 0; i < report_.rows.size(); ++i) {
      OptimizeRow& row = report_.rows[i];
      auto trial = Open(row);
      Progress("accuracy", static_cast<int64_t>(i) + 1,
               std::ssize(report_.rows));
      if (trial.status().code() == StatusCode::kUnsupported) continue;
      STINT_RETURN_IF_ERROR(trial.status());
      STINT_RETURN_IF_ERROR(EvaluateRow(&*trial, &row));
      rows.push_back(std::move(row));
      trials_.push_back(std::move(trial).value());
    }
    report_.rows = std::move(rows);
    return OkStatus();
  }

  Status EvaluateRow(Trial* trial, OptimizeRow* row) {
    EvalOptions eval = options_.eval;
    const Package& package = *trial->model().package();
    eval.image = package.preprocessing.value_or(Preprocessing{});
    Session* session = &trial->session();
    STINT_ASSIGN_OR_RETURN(
        const EvalReport report,
        EvaluateData({&package,
                      [session](const std::vector<Value>& inputs,
                                std::vector<Value>* outputs) {
                        return session->RunInto(inputs, outputs);
                      }},
                     eval));
    row->accuracy = report.value;
    STINT_ASSIGN_OR_RETURN(const std::string file,
                           ExportOnnxBytes(*package.graph));
    row->bytes = std::ssize(file);
    return OkStatus();
  }

  // In turns, so that all see the same machine.
  Status TimeAll() {
    const std::vector<Value> row = FirstRow(compressor_.samples()[0]);
    std::vector<std::vector<double>> times(trials_.size());
    std::vector<Value> outputs;
    const int64_t start = NowNs();
    const auto budget = static_cast<int64_t>(options_.timing_seconds * 1e9);
    for (int turn = 0; turn < 3 || NowNs() - start < budget; ++turn) {
      for (size_t t = 0; t < trials_.size(); ++t) {
        for (int run = 0; run < kRunsInTurn; ++run) {
          const int64_t begin = NowNs();
          STINT_RETURN_IF_ERROR(trials_[t].session().RunInto(row, &outputs));
          // The first finds caches as the model before it left them.
          if (run > 0) times[t].push_back(MsSince(begin));
        }
      }
      const int64_t spent = std::min(NowNs() - start, budget);
      Progress("time, ms", spent / 1'000'000, budget / 1'000'000);
    }
    for (size_t t = 0; t < trials_.size(); ++t) {
      report_.rows[t].ms = Quantile(times[t], kQuantile);
    }
    return OkStatus();
  }

  void Judge() {
    for (OptimizeRow& row : report_.rows) {
      if (row.accuracy < options_.min_accuracy) row.fails = "accuracy";
      if (options_.max_ms && row.ms > *options_.max_ms) row.fails = "latency";
      if (options_.max_bytes && row.bytes > *options_.max_bytes) {
        row.fails = "size";
      }
    }
    std::stable_sort(
        report_.rows.begin(), report_.rows.end(),
        [](const OptimizeRow& a, const OptimizeRow& b) { return a.ms < b.ms; });
    double most = -1;
    for (size_t i = 0; i < report_.rows.size(); ++i) {
      OptimizeRow& row = report_.rows[i];
      row.pareto = row.accuracy > most;
      most = std::max(most, row.accuracy);
      if (row.fails.empty() && !report_.best) report_.best = i;
    }
  }

  Status KeepBest() {
    if (!report_.best) return OkStatus();
    STINT_ASSIGN_OR_RETURN(
        CompressedModel made,
        compressor_.Run(report_.rows[*report_.best].compress));
    report_.model = std::move(made.model);
    return OkStatus();
  }

  const OptimizeOptions& options_;
  const Runtime& runtime_;
  Compressor compressor_;
  std::vector<Trial> trials_;
  OptimizeReport report_;
  int mixes_ = 0;
};

}  // namespace

std::string OptimizeRow::Describe() const {
  if (plain) return name;
  int bytes = 0;
  int sparse = 0;
  int channels = 0;
  for (const auto& [layer, what] : compress.layers) {
    bytes += what.int8;
    sparse += what.zeros > 0;
    channels += what.channels > 0;
  }
  std::string text = name + ":";
  const auto add = [&](int count, const char* what) {
    if (count == 0) return;
    text += (text.back() == ':' ? " " : ", ") + std::to_string(count) + what;
  };
  add(bytes, " in int8");
  add(sparse, " sparse");
  add(channels, " narrower");
  return text + (precision == "fp32" ? "" : ", rest in " + precision);
}

Result<OptimizeReport> Optimize(const Model& model,
                                const OptimizeOptions& options,
                                const Runtime& runtime) {
  STINT_ASSIGN_OR_RETURN(
      Compressor compressor,
      Compressor::Create(model, options.calibration, options.preprocessing));
  return Optimization(options, runtime, std::move(compressor)).Run();
}

}  // namespace stint
