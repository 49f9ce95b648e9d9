#include "lab/tax/tax_report.h"

#include <algorithm>
#include <cstdlib>

#include "lab/peers/peer_points.h"

namespace stint {
namespace {

constexpr double kNoiseLimit = 0.03;
constexpr size_t kLeastForHinge = 3;
constexpr int kLeastForRegression = 3;

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

// The medians of a sample over the rounds.
struct Series {
  std::string status = "ok";
  std::string reason;
  std::string version;
  std::optional<double> max_difference;
  std::map<int, double> run_ms;  // by round
  std::map<std::string, std::vector<double>> medians;

  std::optional<double> MedianOf(const std::string& name) const {
    const auto found = medians.find(name);
    if (found == medians.end()) return std::nullopt;
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
    if (const auto version = outcome.facts.find("version");
        version != outcome.facts.end()) {
      series->version = version->second;
    }
    if (round == 0) {
      series->max_difference = outcome.Sample("max_difference");
      return;
    }
    for (const auto& [name, values] : outcome.samples) {
      series->medians[name].push_back(Median(values));
      if (name == "run_ms") series->run_ms[round] = Median(values);
    }
  }

  const Study& study_;
  int64_t id_;
  StudyDatabase* database_;
};

TaxPoint MakePoint(double size, const Series& series, uint64_t seed) {
  TaxPoint point;
  point.size = size;
  for (const auto& [round, ms] : series.run_ms) point.process_ms.push_back(ms);
  point.run_ms = MedianEstimate(point.process_ms, seed);
  point.kernel_ms = series.MedianOf("kernel_ms");
  point.profiled_ms = series.MedianOf("profiled_ms");
  point.cpu_ms = series.MedianOf("cpu_ms");
  return point;
}

void Fit(uint64_t seed, TaxCurve* curve) {
  std::sort(
      curve->points.begin(), curve->points.end(),
      [](const TaxPoint& a, const TaxPoint& b) { return a.size < b.size; });
  if (curve->points.size() < kLeastForHinge) return;
  std::vector<double> sizes;
  std::vector<std::vector<double>> times;
  for (const TaxPoint& point : curve->points) {
    sizes.push_back(point.size);
    times.push_back(point.process_ms);
  }
  curve->hinge = EstimateHinge(sizes, times, seed);
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
    if (series.max_difference) {
      curve.max_difference =
          std::max(curve.max_difference.value_or(0), *series.max_difference);
    }
    if (series.status != "ok" && curve.status == "ok") {
      curve.status = series.status;
      curve.reason = ToString(condition) + ": " + series.reason;
    }
    if (series.run_ms.empty()) continue;
    curve.points.push_back(
        MakePoint(NumberOf(condition, axis), series, study.seed));
    if (!curve.kernels) curve.kernels = series.MedianOf("kernels");
  }
  Fit(study.seed, &curve);
  const Setting* twin = FindCondition(study, curve.model + kTwinSuffix);
  if (twin != nullptr && axis == "batch") {
    STINT_ASSIGN_OR_RETURN(const Series series, reader->Read(*twin, treatment));
    if (!series.run_ms.empty()) {
      curve.twin_ms = MakePoint(1, series, study.seed).run_ms;
    }
  }
  return curve;
}

const TaxCurve* FindCurve(const TaxReport& report, const std::string& model,
                          const std::string& runtime) {
  for (const TaxCurve& curve : report.curves) {
    if (curve.model == model && curve.runtime == runtime &&
        curve.axis == "batch" && curve.ok()) {
      return &curve;
    }
  }
  return nullptr;
}

// What each estimator says that the delayed run has more than the plain one.
void AddRecovered(const TaxCurve& plain, const TaxCurve& delayed,
                  double delay_us, TaxReport* report) {
  if (!delayed.kernels) return;
  const double injected_ms = *delayed.kernels * delay_us * 1e-3;
  const auto add = [&](const char* estimator, std::optional<double> with,
                       std::optional<double> without) {
    if (!with || !without) return;
    report->recovered.push_back(
        {plain.model, estimator, injected_ms, *with - *without});
  };
  add("hinge", delayed.HingeMs(), plain.HingeMs());
  add("subtraction", delayed.OutsideMs(), plain.OutsideMs());
  if (delayed.twin_ms && plain.twin_ms) {
    add("twin", delayed.twin_ms->value, plain.twin_ms->value);
  }
}

void CheckEstimators(double delay_us, TaxReport* report) {
  for (const TaxCurve& plain : report->curves) {
    if (plain.runtime != "stint" || plain.axis != "batch" || !plain.ok()) {
      continue;
    }
    const std::string delayed =
        "stint:delay=" + std::to_string(static_cast<int64_t>(delay_us)) + "us";
    const TaxCurve* with = FindCurve(*report, plain.model, delayed);
    if (with != nullptr) AddRecovered(plain, *with, delay_us, report);
  }
}

void AddRegressions(const Study& study, TaxReport* report) {
  std::vector<std::string> runtimes;
  for (const Setting& treatment : study.treatments) {
    const std::string runtime = ValueOf(treatment, "runtime");
    if (std::find(runtimes.begin(), runtimes.end(), runtime) ==
        runtimes.end()) {
      runtimes.push_back(runtime);
    }
  }
  for (const std::string& runtime : runtimes) {
    for (const double batch : {1.0, 64.0}) {
      std::vector<double> macs, nodes, ms;
      for (const TaxCurve& curve : report->curves) {
        if (curve.runtime != runtime || curve.axis != "batch") continue;
        for (const TaxPoint& point : curve.points) {
          if (point.size != batch) continue;
          macs.push_back(static_cast<double>(curve.size.macs));
          nodes.push_back(static_cast<double>(curve.size.nodes));
          ms.push_back(point.run_ms.value);
        }
      }
      const auto count = static_cast<int>(ms.size());
      if (count < kLeastForRegression) continue;
      const LineFit by_nodes = FitLine(nodes, ms);
      report->regressions.push_back({runtime, batch, count,
                                     FitLine(macs, ms).r2, by_nodes.r2,
                                     by_nodes.slope * 1e3});
    }
  }
}

Status AddNoise(const Study& study, Reader* reader, TaxReport* report) {
  for (const Setting& condition : study.conditions) {
    const std::string model = ValueOf(condition, "model");
    if (model.ends_with(kTwinSuffix) || report->noise.count(model) > 0) {
      continue;
    }
    std::map<std::string, Series> entries;
    for (const Setting& treatment : study.treatments) {
      if (ValueOf(treatment, "runtime") != "stint") continue;
      STINT_ASSIGN_OR_RETURN(entries[ValueOf(treatment, "entry")],
                             reader->Read(condition, treatment));
    }
    std::vector<double> first, second;
    for (const auto& [round, ms] : entries["1"].run_ms) {
      const auto other = entries["2"].run_ms.find(round);
      if (other == entries["2"].run_ms.end()) continue;
      first.push_back(ms);
      second.push_back(other->second);
    }
    if (first.empty()) continue;
    const Estimate ratio = PairedRatio(second, first, study.seed);
    report->noise[model] = ratio;
    report->too_noisy = report->too_noisy || ratio.low > 1 || ratio.high < 1 ||
                        ratio.high - ratio.low > kNoiseLimit;
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

Result<TaxReport> MakeTaxReport(const Study& study,
                                const std::map<std::string, NetworkSize>& sizes,
                                double delay_us, StudyDatabase* database) {
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
        STINT_ASSIGN_OR_RETURN(TaxCurve curve, ReadCurve(study, condition, axis,
                                                         treatment, &reader));
        if (const auto size = sizes.find(model); size != sizes.end()) {
          curve.size = size->second;
        }
        report.curves.push_back(std::move(curve));
      }
    }
  }
  CheckEstimators(delay_us, &report);
  AddRegressions(study, &report);
  STINT_RETURN_IF_ERROR(AddNoise(study, &reader, &report));
  return report;
}

}  // namespace stint
