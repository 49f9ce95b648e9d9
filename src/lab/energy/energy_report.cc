#include "lab/energy/energy_report.h"

#include <algorithm>
#include <cstdlib>

namespace stint {
namespace {

// What the processes of a row gave, a value per round.
using Samples = std::map<std::string, std::vector<double>>;

struct RawRow {
  EnergyRow row;
  bool second_entry = false;  // only there to see the noise
  Samples samples;
  std::map<int, double> run_ms;  // by round
};

std::optional<double> MedianOf(const Samples& samples, const char* name,
                               double scale = 1) {
  const auto found = samples.find(name);
  if (found == samples.end()) return std::nullopt;
  return Median(found->second) * scale;
}

void Add(const Outcome& outcome, int round, RawRow* raw) {
  EnergyRow& row = raw->row;
  if (!outcome.ok()) {
    row.status = outcome.status;
    row.reason = outcome.reason;
    return;
  }
  const auto fact = [&](const char* name, std::string* out) {
    const auto found = outcome.facts.find(name);
    if (found != outcome.facts.end()) *out = found->second;
  };
  fact("version", &row.version);
  fact("energy_grade", &row.grade);
  fact("energy_source", &row.source);
  if (round == 0) return;
  for (const auto& [name, values] : outcome.samples) {
    raw->samples[name].push_back(Median(values));
    if (name == "run_ms") raw->run_ms[round] = Median(values);
  }
}

Result<RawRow> ReadRow(const Study& study, int64_t id, Point point,
                       StudyDatabase* database) {
  RawRow raw;
  raw.row.condition = point.condition;
  raw.row.runtime = ValueOf(point.treatment, "runtime");
  raw.row.status = "unfinished";
  raw.row.reason = "the study did not get to it";
  raw.second_entry = ValueOf(point.treatment, "entry") == "2";
  for (point.round = 0; point.round <= study.rounds; ++point.round) {
    const auto outcome = database->Find(id, point);
    if (outcome.status().code() == StatusCode::kNotFound) continue;
    if (!outcome.ok()) return outcome.status();
    if (raw.row.status == "unfinished") raw.row.status = "ok";
    if (raw.row.status == "ok") raw.row.reason.clear();
    Add(*outcome, point.round, &raw);
  }
  const double items =
      std::strtod(ValueOf(point.condition, "batch").c_str(), nullptr);
  const auto times = raw.samples.find("run_ms");
  if (times == raw.samples.end()) return raw;
  EnergyRow& row = raw.row;
  row.run_ms = MedianEstimate(times->second, study.seed);
  row.cpu_ms = MedianOf(raw.samples, "cpu_ms");
  row.gross_joules = MedianOf(raw.samples, "gross_joules", 1 / items);
  row.net_joules = MedianOf(raw.samples, "net_joules", 1 / items);
  row.mean_watts = MedianOf(raw.samples, "mean_watts");
  return raw;
}

// Energy can be ranked when all of it was measured in the same way.
void ChooseMetric(const std::vector<RawRow>& rows, EnergyStudyReport* report) {
  std::string grades;
  bool all_net = true;
  for (const RawRow& raw : rows) {
    if (!raw.row.ok()) continue;
    all_net = all_net && raw.row.net_joules.has_value();
    if (grades.find(raw.row.grade) == std::string::npos) {
      grades += raw.row.grade;
    }
  }
  if (all_net && grades.size() == 1) {
    report->metric = "net_joules";
    return;
  }
  report->metric = "cpu_ms";
  report->note = grades.size() > 1
                     ? "grades " + grades + " are not compared: CPU time is"
                     : "no joule was measured: CPU time is ranked";
}

void Rank(std::vector<EnergyRow*> rows) {
  std::vector<double> medians;
  for (const EnergyRow* row : rows) medians.push_back(Median(row->compared));
  const std::vector<double> ranks = RanksOf(medians);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i]->rank = static_cast<int>(ranks[i]);
  }
}

// Tests between all rows of a condition.
void Compare(const Setting& condition, const std::vector<EnergyRow*>& rows,
             EnergyStudyReport* report) {
  std::vector<std::vector<double>> groups;
  for (const EnergyRow* row : rows) groups.push_back(row->compared);
  if (groups.size() < 2) return;
  report->differences[ToString(condition)] = KruskalWallis(groups);
  std::vector<EnergyPair> pairs;
  std::vector<double> p;
  for (size_t a = 0; a < rows.size(); ++a) {
    for (size_t b = a + 1; b < rows.size(); ++b) {
      p.push_back(MannWhitney(groups[a], groups[b]).p);
      pairs.push_back({condition, rows[a]->runtime, rows[b]->runtime, 1,
                       CliffsDelta(groups[a], groups[b])});
    }
  }
  const std::vector<double> adjusted = HolmAdjusted(p);
  for (size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].p = adjusted[i];
    report->pairs.push_back(pairs[i]);
  }
}

// Of the times, by the rounds that the row shares with stint's own.
std::optional<Estimate> RatioToStint(const std::vector<RawRow>& rows,
                                     const RawRow& raw, uint64_t seed) {
  for (const RawRow& stint : rows) {
    if (stint.row.runtime == "stint" && !stint.second_entry &&
        stint.row.condition == raw.row.condition) {
      return RatioByRound(raw.run_ms, stint.run_ms, seed);
    }
  }
  return std::nullopt;
}

}  // namespace

Result<EnergyStudyReport> MakeEnergyStudyReport(const Study& study,
                                                StudyDatabase* database) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database->StudyId(study));
  EnergyStudyReport report;
  std::vector<RawRow> raw_rows;
  for (const Setting& condition : study.conditions) {
    for (const Setting& treatment : study.treatments) {
      STINT_ASSIGN_OR_RETURN(
          RawRow raw, ReadRow(study, id, {0, condition, treatment}, database));
      raw_rows.push_back(std::move(raw));
    }
  }
  ChooseMetric(raw_rows, &report);
  std::vector<double> metric, time;
  for (RawRow& raw : raw_rows) {
    const auto ratio = RatioToStint(raw_rows, raw, study.seed);
    if (raw.second_entry) {
      if (ratio) report.noise.push_back(JudgeNoise(raw.row.condition, *ratio));
      continue;
    }
    raw.row.ratio_to_stint = ratio;
    if (raw.row.ok()) {
      raw.row.compared = raw.samples[report.metric];
      raw.row.normality_p = ShapiroWilk(raw.row.compared).p;
      metric.push_back(Median(raw.row.compared));
      time.push_back(raw.row.run_ms->value);
    }
    report.rows.push_back(raw.row);
  }
  report.metric_with_time = Spearman(metric, time);
  for (const Setting& condition : study.conditions) {
    std::vector<EnergyRow*> rows;
    for (EnergyRow& row : report.rows) {
      if (row.condition == condition && row.ok()) rows.push_back(&row);
    }
    Rank(rows);
    Compare(condition, rows, &report);
  }
  return report;
}

}  // namespace stint
