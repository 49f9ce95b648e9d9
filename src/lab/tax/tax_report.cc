#include "lab/tax/tax_report.h"

#include <algorithm>
#include <cstdlib>

#include "lab/peers/threads_note.h"
#include "lab/tax/compare_curves.h"

namespace stint {
namespace {

// Other programs can only slow a run down, and do so unevenly: of the runs of a
// process its quick tenth counts.
constexpr double kQuickShare = 0.1;
constexpr size_t kLeastForHinge = 3;

double NumberOf(const Setting& setting, const std::string& axis) {
  return std::strtod(ValueOf(setting, axis).c_str(), nullptr);
}

Setting Without(const Setting& setting, const std::string& axis) {
  Setting rest;
  for (const auto& entry : setting) {
    if (entry.first != axis) rest.push_back(entry);
  }
  return rest;
}

// What each process gave, by name and round.
struct Series {
  std::string status = "unfinished";
  std::string reason = "the study did not get to it";
  std::string version;
  std::optional<double> max_difference;
  NetworkSize size;
  std::map<int, double> run_ms;   // by round
  std::optional<double> mean_ms;  // of all runs of the last process
  std::map<std::string, std::vector<double>> quick;

  std::optional<double> MedianOf(const std::string& name) const {
    const auto found = quick.find(name);
    if (found == quick.end()) return std::nullopt;
    return Median(found->second);
  }
};

class Reader {
 public:
  Reader(const Study& study, int64_t id, StudyDatabase* database)
      : study_(study), id_(id), database_(database) {}

  // What was recorded of a treatment under a condition, failures included.
  Result<Series> Read(const Setting& condition, const Setting& treatment) {
    Series series;
    for (int round = 0; round <= study_.rounds; ++round) {
      const auto outcome = database_->Find(id_, {round, condition, treatment});
      if (outcome.status().code() == StatusCode::kNotFound) continue;
      if (!outcome.ok()) return outcome.status();
      Add(round, *outcome, &series);
    }
    return series;
  }

 private:
  static void Add(int round, const Outcome& outcome, Series* series) {
    if (!outcome.ok()) {
      series->status = outcome.status;
      series->reason = outcome.reason;
      return;
    }
    series->size = {
        static_cast<int64_t>(outcome.Sample(kMacsSample).value_or(0)),
        static_cast<int64_t>(outcome.Sample(kNodesSample).value_or(0))};
    if (const auto version = outcome.facts.find("version");
        version != outcome.facts.end()) {
      series->version = version->second;
    }
    if (round == 0) {
      series->max_difference = outcome.Sample("max_difference");
      return;
    }
    if (series->status == "unfinished") {
      series->status = "ok";
      series->reason.clear();
    }
    for (const auto& [name, values] : outcome.samples) {
      const double value = Quantile(values, kQuickShare);
      series->quick[name].push_back(value);
      if (name != "run_ms") continue;
      series->run_ms[round] = value;
      series->mean_ms = Mean(values);
    }
  }

  const Study& study_;
  int64_t id_;
  StudyDatabase* database_;
};

std::vector<double> Values(const std::map<int, double>& by_round) {
  std::vector<double> values;
  for (const auto& [round, value] : by_round) values.push_back(value);
  return values;
}

TaxPoint MakePoint(double size, const Series& series) {
  TaxPoint point;
  point.size = size;
  point.process_ms = series.run_ms;
  point.run_ms = MedianEstimate(Values(series.run_ms));
  point.kernel_ms = series.MedianOf("kernel_ms");
  point.profiled_ms = series.MedianOf("profiled_ms");
  point.cpu_ms = series.MedianOf("cpu_ms");
  return point;
}

void Fit(TaxCurve* curve) {
  std::sort(
      curve->points.begin(), curve->points.end(),
      [](const TaxPoint& a, const TaxPoint& b) { return a.size < b.size; });
  if (curve->points.size() < kLeastForHinge) return;
  std::vector<double> sizes;
  std::vector<std::vector<double>> times;
  for (const TaxPoint& point : curve->points) {
    sizes.push_back(point.size);
    times.push_back(Values(point.process_ms));
  }
  curve->hinge = EstimateHinge(sizes, times);
}

// The conditions of one curve: those that differ from the first in `axis` only.
std::vector<Setting> AlongAxis(const Study& study, const Setting& first,
                               const std::string& axis) {
  std::vector<Setting> conditions;
  for (const Setting& condition : study.conditions) {
    if (Without(condition, axis) == Without(first, axis)) {
      conditions.push_back(condition);
    }
  }
  return conditions;
}

const Setting* FindCondition(const Study& study, const std::string& model) {
  for (const Setting& condition : study.conditions) {
    if (ValueOf(condition, "model") == model) return &condition;
  }
  return nullptr;
}

Result<TaxCurve> ReadCurve(const Study& study, const Setting& first,
                           const std::string& axis, const Setting& treatment,
                           Reader* reader) {
  TaxCurve curve;
  curve.model = ValueOf(first, "model");
  curve.runtime = ValueOf(treatment, "runtime");
  curve.axis = axis;
  curve.fixed = ToString(Without(Without(first, axis), "model"));
  curve.status = "ok";
  for (const Setting& condition : AlongAxis(study, first, axis)) {
    STINT_ASSIGN_OR_RETURN(const Series series,
                           reader->Read(condition, treatment));
    if (!series.version.empty()) curve.version = series.version;
    if (series.size.nodes > 0) curve.size = series.size;
    if (series.max_difference) {
      curve.max_difference =
          std::max(curve.max_difference.value_or(0), *series.max_difference);
    }
    if (series.status != "ok" && curve.status == "ok") {
      curve.status = series.status;
      curve.reason = ToString(condition) + ": " + series.reason;
    }
    if (series.run_ms.empty()) continue;
    curve.points.push_back(MakePoint(NumberOf(condition, axis), series));
    if (!curve.kernels) curve.kernels = series.MedianOf("kernels");
    if (curve.note.empty()) {
      const TaxPoint& point = curve.points.back();
      curve.note = ThreadsNote(condition, point.cpu_ms, series.mean_ms);
    }
  }
  Fit(&curve);
  const Setting* twin = FindCondition(study, curve.model + kTwinSuffix);
  if (twin != nullptr && axis == "batch") {
    STINT_ASSIGN_OR_RETURN(const Series series, reader->Read(*twin, treatment));
    if (!series.run_ms.empty()) {
      curve.twin_ms = MakePoint(1, series).run_ms;
    }
  }
  return curve;
}

// The second entry of stint against the first, for each model at its first
// condition.
Status AddNoise(const Study& study, Reader* reader, TaxReport* report) {
  std::vector<std::string> done;
  for (const Setting& condition : study.conditions) {
    const std::string model = ValueOf(condition, "model");
    if (model.ends_with(kTwinSuffix) ||
        std::find(done.begin(), done.end(), model) != done.end()) {
      continue;
    }
    std::map<std::string, Series> entries;
    for (const Setting& treatment : study.treatments) {
      if (ValueOf(treatment, "runtime") != "stint") continue;
      STINT_ASSIGN_OR_RETURN(entries[ValueOf(treatment, "entry")],
                             reader->Read(condition, treatment));
    }
    const auto ratio = RatioByRound(entries["2"].run_ms, entries["1"].run_ms);
    if (!ratio) continue;
    done.push_back(model);
    report->noise.push_back(JudgeNoise(condition, *ratio));
  }
  return OkStatus();
}

}  // namespace

std::optional<double> TaxCurve::HingeMs() const {
  if (!hinge) return std::nullopt;
  return hinge->fit.fixed_ms;
}

std::optional<double> TaxCurve::OutsideMs() const {
  if (points.empty()) return std::nullopt;
  return points[0].outside_ms();
}

Result<TaxReport> MakeTaxReport(const Study& study, StudyDatabase* database) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database->StudyId(study));
  Reader reader(study, id, database);
  TaxReport report;
  std::vector<std::string> done;
  for (const Setting& condition : study.conditions) {
    const std::string model = ValueOf(condition, "model");
    if (model.ends_with(kTwinSuffix) ||
        std::find(done.begin(), done.end(), model) != done.end()) {
      continue;
    }
    done.push_back(model);
    for (const char* axis : {"batch", "seq"}) {
      if (std::string(axis) == "seq" &&
          AlongAxis(study, condition, axis).size() < 2) {
        continue;
      }
      for (const Setting& treatment : study.treatments) {
        if (ValueOf(treatment, "entry") != "1") continue;
        STINT_ASSIGN_OR_RETURN(
            report.curves.emplace_back(),
            ReadCurve(study, condition, axis, treatment, &reader));
      }
    }
  }
  AddRatios(&report);
  CheckEstimators(&report);
  AddRegressions(&report);
  STINT_RETURN_IF_ERROR(AddNoise(study, &reader, &report));
  return report;
}

}  // namespace stint
