#include "lab/bench/bench_report.h"

#include <map>

#include "core/meter/energy/energy_reading.h"
#include "lab/peers/threads_note.h"

namespace stint {
namespace {

constexpr char kUnfinished[] = "unfinished";

// The measured rounds of one treatment under one condition.
struct Series {
  BenchRow row;
  bool second_entry = false;
  std::map<int, double> medians;  // of run_ms, by round
};

using Samples = std::map<std::string, std::vector<double>>;

std::optional<double> MedianOf(const Samples& samples,
                               const std::string& name) {
  const auto found = samples.find(name);
  if (found == samples.end()) return std::nullopt;
  return Median(found->second);
}

void SummarizeTimes(const std::vector<double>& times, BenchRow* row) {
  if (times.empty()) return;
  row->p50_ms = Median(times);
  row->p90_ms = Quantile(times, 0.9);
  row->p99_ms = Quantile(times, 0.99);
  row->mean_ms = Mean(times);
  const std::vector<bool> outlier = FlagOutliers(times);
  std::vector<double> inliers;
  for (size_t i = 0; i < times.size(); ++i) {
    if (!outlier[i]) inliers.push_back(times[i]);
  }
  row->outliers = static_cast<int64_t>(times.size() - inliers.size());
  row->mean_without_outliers_ms = Mean(inliers);
}

void Summarize(const Samples& samples, BenchRow* row) {
  row->load_ms = MedianOf(samples, "load_ms");
  row->first_ms = MedianOf(samples, "first_ms");
  row->start_ms = MedianOf(samples, "start_ms");
  row->cold_ms = MedianOf(samples, "cold_ms");
  row->cpu_ms = MedianOf(samples, "cpu_ms");
  row->gross_joules = MedianOf(samples, "gross_joules");
  row->net_joules = MedianOf(samples, "net_joules");
  row->mean_watts = MedianOf(samples, "mean_watts");
  const auto net = samples.find("net_joules");
  const auto errors = samples.find("net_joules_error");
  if (net != samples.end() && errors != samples.end()) {
    row->below_resolution = MostlyBelowResolution(net->second, errors->second);
  }
  if (const auto found = samples.find("peak_rss_bytes");
      found != samples.end()) {
    row->peak_rss_bytes = Quantile(found->second, 1);
  }
  const auto times = samples.find("run_ms");
  if (times != samples.end()) SummarizeTimes(times->second, row);
}

// Adds a measured round; one that failed changes the row's status.
void AddRound(int round, const Outcome& outcome, Samples* samples,
              Series* series) {
  if (!outcome.ok()) {
    series->row.status = outcome.status;
    series->row.reason =
        "round " + std::to_string(round) + ": " + outcome.reason;
    return;
  }
  ++series->row.rounds;
  if (const auto grade = outcome.facts.find("energy_grade");
      grade != outcome.facts.end()) {
    series->row.energy_grade = grade->second;
  }
  for (const auto& [name, values] : outcome.samples) {
    auto& all = (*samples)[name];
    all.insert(all.end(), values.begin(), values.end());
  }
  const auto times = outcome.samples.find("run_ms");
  if (times != outcome.samples.end()) {
    series->medians[round] = Median(times->second);
  }
}

// Of a study that was stopped, what it did not get to is unfinished.
Result<Outcome> FindOr(int64_t id, const Point& point,
                       StudyDatabase* database) {
  auto outcome = database->Find(id, point);
  if (outcome.status().code() != StatusCode::kNotFound) return outcome;
  Outcome none;
  none.status = kUnfinished;
  none.reason = "the study did not get to it";
  return none;
}

Result<Series> ReadSeries(const Study& study, int64_t id, Point point,
                          StudyDatabase* database) {
  Series series;
  BenchRow& row = series.row;
  row.runtime = ValueOf(point.treatment, "runtime");
  row.precision = ValueOf(point.treatment, "precision");
  row.condition = point.condition;
  series.second_entry = ValueOf(point.treatment, "entry") == "2";
  STINT_ASSIGN_OR_RETURN(const Outcome check, FindOr(id, point, database));
  row.status = check.status;
  row.reason = check.reason;
  row.max_difference = check.Sample("max_difference");
  row.relative_error = check.Sample("relative_error");
  if (const auto version = check.facts.find("version");
      version != check.facts.end()) {
    row.version = version->second;
  }
  Samples samples;
  for (point.round = 1; check.ok() && point.round <= study.rounds;
       ++point.round) {
    STINT_ASSIGN_OR_RETURN(const Outcome outcome, FindOr(id, point, database));
    if (outcome.status == kUnfinished) continue;
    AddRound(point.round, outcome, &samples, &series);
  }
  Summarize(samples, &row);
  std::vector<double> medians;
  for (const auto& [round, median] : series.medians) medians.push_back(median);
  if (!medians.empty()) row.round_ms = MedianEstimate(medians);
  row.note = ThreadsNote(row.condition, row.cpu_ms, row.mean_ms);
  return series;
}

const Series* BestPeer(const std::vector<Series>& all) {
  const Series* best = nullptr;
  for (const Series& series : all) {
    const BenchRow& row = series.row;
    if (row.runtime == "stint" || row.precision != "fp32" ||
        row.status != "ok" || !row.p50_ms) {
      continue;
    }
    if (best == nullptr || *row.p50_ms < *best->row.p50_ms) best = &series;
  }
  return best;
}

// The A/A ratio: the second entry over the first of the same precision.
void AddNoise(const std::vector<Series>& all, BenchReport* report) {
  for (const Series& second : all) {
    if (!second.second_entry) continue;
    for (const Series& first : all) {
      if (first.second_entry || first.row.runtime != second.row.runtime ||
          first.row.precision != second.row.precision) {
        continue;
      }
      const auto ratio = RatioByRound(second.medians, first.medians);
      if (ratio)
        report->noise.push_back(JudgeNoise(first.row.condition, *ratio));
    }
  }
}

}  // namespace

Result<BenchReport> MakeBenchReport(const Study& study,
                                    StudyDatabase* database) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database->StudyId(study));
  BenchReport report;
  for (const Setting& condition : study.conditions) {
    std::vector<Series> all;
    for (const Setting& treatment : study.treatments) {
      STINT_ASSIGN_OR_RETURN(
          Series series,
          ReadSeries(study, id, {0, condition, treatment}, database));
      all.push_back(std::move(series));
    }
    const Series* best = BestPeer(all);
    AddNoise(all, &report);
    for (Series& series : all) {
      if (series.second_entry) continue;
      if (best != nullptr && series.row.status == "ok") {
        series.row.ratio_to_best_peer =
            RatioByRound(series.medians, best->medians);
      }
      report.rows.push_back(series.row);
    }
  }
  return report;
}

}  // namespace stint
