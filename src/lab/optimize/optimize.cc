#include "lab/optimize/optimize.h"

#include <algorithm>
#include <cmath>

#include "convert/onnx/export.h"
#include "lab/optimize/attempt.h"
#include "lab/optimize/time_in_turns.h"
#include "model/graph/graph_bytes.h"
#include "weights/package/package.h"

namespace stint {
namespace {

// Sums of losses are not quite what combinations lose: so many combinations
// past the first that is not accurate enough are tried as well.
constexpr size_t kPastTheFirst = 2;
// Rows of the calibration data on which single changes are repaired, and as
// many others on which they are judged; and those by which ranges are measured
// of what is only timed.
constexpr int64_t kRowsPerLayer = 256;
constexpr int64_t kRowsToTime = 8;
// One thing for all layers.
constexpr const char* kPlainPruning[] = {
    "magnitude:50%", "magnitude:70%", "magnitude:80%", "4x1:30%",    "4x1:50%",
    "4x1:70%",       "channel:10%",   "channel:25%",   "channel:50%"};
// A plain pruning is evaluated unless it is slower than int8 by more than
// noise.
constexpr double kClearlySlower = 1.1;
// Of the time for schedules: half for the network as it is given, by which
// layers are compared; the rest for the fastest forms that were found, whose
// narrower layers are others.
constexpr double kTuneGiven = 0.5;
constexpr int kTunedForms = 2;

class Optimization {
 public:
  Optimization(const OptimizeOptions& options, const Runtime& runtime,
               Compressor compressor)
      : options_(options),
        runtime_(runtime),
        compressor_(std::move(compressor)) {}

  Result<OptimizeReport> Run(int64_t repaired_rows, Compressor* quick,
                             Compressor* timer) {
    timer_ = timer;
    STINT_RETURN_IF_ERROR(Tune());
    CostOptions costs = options_.costs;
    costs.progress = [this](int64_t done, int64_t total) {
      Progress("layers", done, total);
    };
    STINT_ASSIGN_OR_RETURN(
        const MeasuredCosts measured,
        MeasureCosts(
            costs, runtime_,
            {quick, timer, JudgedRows(compressor_.samples(), repaired_rows)}));
    report_.layers = std::ssize(measured.fp32.layers);
    report_.costs = measured.fp32;
    STINT_RETURN_IF_ERROR(EvaluatePlain());
    STINT_RETURN_IF_ERROR(Search(measured.fp32, "fp32"));
    STINT_RETURN_IF_ERROR(Search(measured.bf16, "bf16"));
    STINT_RETURN_IF_ERROR(TimeAll());
    STINT_RETURN_IF_ERROR(TuneFastest());
    STINT_RETURN_IF_ERROR(MeasureMemory());
    Judge();
    return std::move(report_);
  }

 private:
  struct Candidate {
    OptimizeRow row;
    Attempt attempt;                       // has a session only while it runs
    std::vector<StepChoice> kernels = {};  // of the last run
  };

  // Samples behind the rows that repairs of single changes see, or are judged
  // by, of as many rows; the last sample where there are no more.
  static std::vector<std::vector<Value>> JudgedRows(
      const std::vector<std::vector<Value>>& samples, int64_t repaired) {
    std::vector<std::vector<Value>> taken;
    const int64_t skipped = repaired + std::max<int64_t>(1, repaired / 8);
    int64_t first = 0;
    for (const auto& sample : samples) {
      if (first >= skipped && first < skipped + repaired) {
        taken.push_back(sample);
      }
      const Shape& shape = sample[0].tensor().shape();
      first += shape.empty() ? 1 : shape[0];
    }
    if (taken.empty() && !samples.empty()) taken.push_back(samples.back());
    return taken;
  }

  void Progress(const std::string& phase, int64_t done, int64_t total) const {
    if (options_.progress) options_.progress(phase, done, total);
  }

  Status Tune() {
    if (!options_.tune || timer_->samples().empty()) return OkStatus();
    STINT_ASSIGN_OR_RETURN(const CompressedModel same, timer_->Run({}));
    STINT_ASSIGN_OR_RETURN(const Model fused, OptimizeModel(same.model));
    return options_.tune(fused, FirstRow(timer_->samples()[0]), kTuneGiven);
  }

  // Integers have no schedules.
  static bool HasSchedules(const std::vector<StepChoice>& steps) {
    return std::any_of(steps.begin(), steps.end(), [](const StepChoice& step) {
      return step.op == "BlockedConv" && !step.schedule.empty();
    });
  }

  // The fastest combinations that are accurate enough, if they compute in
  // float; then all are timed again, since they may share layers.
  Status TuneFastest() {
    if (!options_.tune) return OkStatus();
    std::vector<const Candidate*> found;
    for (const Candidate& candidate : candidates_) {
      if (!candidate.row.plain &&
          candidate.row.accuracy >= options_.min_accuracy &&
          candidate.row.precision == "fp32" &&
          HasSchedules(candidate.kernels)) {
        found.push_back(&candidate);
      }
    }
    if (found.empty()) return OkStatus();
    std::stable_sort(found.begin(), found.end(),
                     [](const Candidate* a, const Candidate* b) {
                       return a->row.ms < b->row.ms;
                     });
    found.resize(std::min<size_t>(found.size(), kTunedForms));
    const std::vector<Value> row = FirstRow(compressor_.samples()[0]);
    const double share = (1 - kTuneGiven) / static_cast<double>(found.size());
    for (const Candidate* candidate : found) {
      STINT_ASSIGN_OR_RETURN(const Model fused, candidate->attempt.Fused());
      STINT_RETURN_IF_ERROR(options_.tune(fused, row, share));
    }
    return TimeAll();
  }

  static OptimizeRow Plain(const std::string& name,
                           const std::string& precision,
                           const CompressOptions& compress) {
    OptimizeRow row;
    row.name = name;
    row.plain = true;
    row.precision = precision;
    row.compress = compress;
    return row;
  }

  // What is slower than int8 anyway need not be repaired and evaluated.
  Status EvaluatePlain() {
    CompressOptions bytes;
    bytes.quantize = QuantizeKind::kInt8;
    bytes.integer_layers = IntegerLayers::kByRule;
    const std::vector<OptimizeRow> first = {Plain("fp32", "fp32", {}),
                                            Plain("bf16", "bf16", {}),
                                            Plain("int8", "fp32", bytes)};
    constexpr int64_t kTotal = std::ssize(kPlainPruning) + 3;
    int64_t done = 0;
    for (const OptimizeRow& row : first) {
      STINT_RETURN_IF_ERROR(Evaluate(row).status());
      Progress("plain forms", ++done, kTotal);
    }
    STINT_ASSIGN_OR_RETURN(const double limit, QuickTime(first[2]));
    for (const char* name : kPlainPruning) {
      CompressOptions pruned;
      STINT_RETURN_IF_ERROR(ParsePruning(name, &pruned));
      const OptimizeRow row = Plain(name, "fp32", pruned);
      const auto us = QuickTime(row);
      if (us.ok() && *us > kClearlySlower * limit) {
        ++report_.not_evaluated;
      } else if (us.status().code() != StatusCode::kUnsupported) {
        STINT_RETURN_IF_ERROR(Evaluate(row).status());
      }
      Progress("plain forms", ++done, kTotal);
    }
    return OkStatus();
  }

  // Of a run on one row in us, whatever the weights are.
  Result<double> QuickTime(OptimizeRow row) {
    row.compress.recovery = Recovery::kNone;
    STINT_ASSIGN_OR_RETURN(
        Attempt attempt,
        Attempt::Make({row.compress, row.precision}, runtime_, timer_));
    STINT_ASSIGN_OR_RETURN(const auto steps, attempt.Profile());
    double sum = 0;
    for (const TimedStep& step : steps) sum += step.us;
    return sum;
  }

  // From what changes nothing to what changes most.
  std::vector<OptimizeRow> Combinations(const NetworkCosts& costs,
                                        const std::string& precision) const {
    std::vector<OptimizeRow> rows;
    for (const Combination& found : Tradeoffs(costs)) {
      if (found.layers.empty() ||
          (precision != "fp32" && AllInBytes(found, costs))) {
        continue;
      }
      OptimizeRow row;
      row.precision = precision;
      row.compress.layers = found.layers;
      row.compress.channel_multiple = options_.costs.channel_multiple;
      row.predicted_ms = found.us * 1e-3;
      rows.push_back(std::move(row));
    }
    return rows;
  }

  // Then it does not matter which precision the rest has.
  static bool AllInBytes(const Combination& found, const NetworkCosts& costs) {
    return std::all_of(costs.layers.begin(), costs.layers.end(),
                       [&](const CompressionCosts& layer) {
                         const auto own = found.layers.find(layer.name);
                         return own != found.layers.end() && own->second.int8;
                       });
  }

  // Finds, by bisection, how far along the combinations accuracy is enough.
  Status Search(const NetworkCosts& costs, const std::string& precision) {
    if (costs.layers.empty()) return OkStatus();
    std::vector<OptimizeRow> rows = Combinations(costs, precision);
    size_t good = 0;  // so many are taken to be accurate enough
    size_t bad = rows.size();
    const std::string phase = "combinations, " + precision;
    int64_t done = 0;
    const auto try_row = [&](size_t i) -> Result<bool> {
      rows[i].name = "mix " + std::to_string(++mixes_);
      const auto accuracy = Evaluate(rows[i]);
      ++done;
      Progress(phase, done, done + static_cast<int64_t>(bad - good) / 2);
      STINT_RETURN_IF_ERROR(accuracy.status());
      return *accuracy >= options_.min_accuracy;
    };
    while (good < bad) {
      const size_t middle = good + (bad - good) / 2;
      STINT_ASSIGN_OR_RETURN(const bool enough, try_row(middle));
      enough ? good = middle + 1 : bad = middle;
    }
    for (size_t i = bad + 1; i < std::min(bad + 1 + kPastTheFirst, rows.size());
         ++i) {
      if (rows[i].name.empty()) STINT_RETURN_IF_ERROR(try_row(i).status());
    }
    return OkStatus();
  }

  // Makes the row, repaired, a candidate; one that cannot be made here (a
  // precision without kernels, channels that are all held) is none. Returns its
  // accuracy.
  Result<double> Evaluate(OptimizeRow row) {
    auto attempt =
        Attempt::Make({row.compress, row.precision}, runtime_, &compressor_);
    if (attempt.status().code() == StatusCode::kUnsupported) return 0.0;
    STINT_RETURN_IF_ERROR(attempt.status());
    EvalOptions eval = options_.eval;
    const Package& package = *attempt->model().package();
    eval.image = package.preprocessing.value_or(Preprocessing{});
    Session* session = &attempt->session();
    STINT_ASSIGN_OR_RETURN(
        const EvalReport report,
        EvaluateData({&package,
                      [session](const std::vector<Value>& inputs,
                                std::vector<Value>* outputs) {
                        return session->RunInto(inputs, outputs);
                      }},
                     eval));
    row.accuracy = report.value;
    STINT_ASSIGN_OR_RETURN(const std::string file,
                           ExportOnnxBytes(*package.graph));
    row.bytes = std::ssize(file);
    attempt->Close();
    candidates_.push_back({std::move(row), std::move(attempt).value()});
    return report.value;
  }

  Status TimeAll() {
    SessionSource source;
    source.open = [this](size_t i) -> Result<Session*> {
      STINT_RETURN_IF_ERROR(candidates_[i].attempt.Reopen(runtime_));
      return &candidates_[i].attempt.session();
    };
    source.close = [this](size_t i) {
      Candidate& candidate = candidates_[i];
      candidate.kernels = candidate.attempt.session().StepChoices();
      candidate.attempt.Close();
    };
    STINT_ASSIGN_OR_RETURN(
        const std::vector<double> times,
        TimeInGroups(candidates_.size(), source,
                     FirstRow(compressor_.samples()[0]),
                     options_.timing_seconds, [this](double done, double all) {
                       Progress("time, ms", std::llround(1e3 * done),
                                std::llround(1e3 * all));
                     }));
    for (size_t t = 0; t < candidates_.size(); ++t) {
      candidates_[t].row.ms = times[t];
    }
    return OkStatus();
  }

  // Where somebody asks for it: a process for each.
  Status MeasureMemory() {
    if (!options_.max_peak_bytes) return OkStatus();
    const std::vector<Value> row = FirstRow(compressor_.samples()[0]);
    int64_t done = 0;
    for (Candidate& candidate : candidates_) {
      STINT_ASSIGN_OR_RETURN(
          candidate.row.peak_bytes,
          options_.peak_memory(candidate.attempt.model(),
                               candidate.row.precision, row));
      Progress("memory", ++done, std::ssize(candidates_));
    }
    return OkStatus();
  }

  // The limit that the row misses; empty: none.
  std::string Missed(const OptimizeRow& row) const {
    if (options_.max_bytes && row.bytes > *options_.max_bytes) return "size";
    if (options_.max_peak_bytes && row.peak_bytes > *options_.max_peak_bytes) {
      return "memory";
    }
    if (options_.max_ms && row.ms > *options_.max_ms) return "latency";
    return row.accuracy < options_.min_accuracy ? "accuracy" : "";
  }

  void Judge() {
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return a.row.ms < b.row.ms;
                     });
    double most = -1;
    for (Candidate& candidate : candidates_) {
      OptimizeRow& row = candidate.row;
      row.fails = Missed(row);
      row.pareto = row.accuracy > most;
      most = std::max(most, row.accuracy);
      if (row.fails.empty() && !report_.best) {
        report_.best = report_.rows.size();
        report_.model = candidate.attempt.model();
        report_.kernels = std::move(candidate.kernels);
      }
      report_.rows.push_back(std::move(row));
    }
  }

  const OptimizeOptions& options_;
  const Runtime& runtime_;
  Compressor compressor_;        // with all samples
  Compressor* timer_ = nullptr;  // with few
  std::vector<Candidate> candidates_;
  OptimizeReport report_;
  int mixes_ = 0;
};

}  // namespace

namespace {

// Of the memory that there is for work by default, and copies of the weights
// that a compressor counts apart, as in CompressOptions::memory_bytes.
constexpr int64_t kWorkBytes = 500 << 20;
constexpr int64_t kCopies = 3;

// For each compressor: half of the work, since what it has repaired then runs
// on all samples, several rows at a time.
int64_t CompressorBytes(const Model& model, int64_t given) {
  const int64_t copies = kCopies * ConstantBytes(*model.package()->graph, {});
  const int64_t limit = given > 0 ? given : copies + kWorkBytes;
  return copies + std::max<int64_t>(0, limit - copies) / 2;
}

}  // namespace

Result<OptimizeReport> Optimize(const Model& model,
                                const OptimizeOptions& options,
                                const Runtime& runtime) {
  const int64_t memory = CompressorBytes(model, options.work_memory_bytes);
  STINT_ASSIGN_OR_RETURN(Compressor compressor,
                         Compressor::Create(model, options.calibration,
                                            options.preprocessing, memory));
  const auto with_rows = [&](int64_t rows) {
    CalibrationData few = options.calibration;
    few.rows = std::min(few.rows, rows);
    return Compressor::Create(model, few, options.preprocessing, memory);
  };
  const int64_t repaired =
      std::clamp<int64_t>(options.calibration.rows / 2, 1, kRowsPerLayer);
  STINT_ASSIGN_OR_RETURN(Compressor quick, with_rows(repaired));
  STINT_ASSIGN_OR_RETURN(Compressor timer, with_rows(kRowsToTime));
  return Optimization(options, runtime, std::move(compressor))
      .Run(repaired, &quick, &timer);
}

}  // namespace stint
