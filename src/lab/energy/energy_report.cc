#include "lab/energy/energy_report.h"

#include <algorithm>
#include <cstdlib>

#include "core/meter/energy/energy_reading.h"
#include "lab/peers/threads_note.h"

namespace stint {
namespace {

// What the processes of a row gave, by round.
using Samples = std::map<std::string, std::map<int, double>>;

struct RawRow {
  EnergyRow row;
  bool second_entry = false;  // only there to see the noise
  Samples samples;
};

std::vector<double> Values(const std::map<int, double>& by_round) {
  std::vector<double> values;
  for (const auto& [round, value] : by_round) values.push_back(value);
  return values;
}

std::optional<double> MedianOf(const Samples& samples, const char* name,
                               double scale = 1) {
  const auto found = samples.find(name);
  if (found == samples.end()) return std::nullopt;
  return Median(Values(found->second)) * scale;
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
    raw->samples[name][round] = Median(values);
    if (name == "run_ms") raw->samples["mean_ms"][round] = Mean(values);
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
  row.run_ms = MedianEstimate(Values(times->second));
  row.cpu_ms = MedianOf(raw.samples, "cpu_ms");
  row.note =
      ThreadsNote(row.condition, row.cpu_ms, MedianOf(raw.samples, "mean_ms"));
  row.gross_joules = MedianOf(raw.samples, "gross_joules", 1 / items);
  row.net_joules = MedianOf(raw.samples, "net_joules", 1 / items);
  row.mean_watts = MedianOf(raw.samples, "mean_watts");
  const auto net = raw.samples.find("net_joules");
  const auto errors = raw.samples.find("net_joules_error");
  if (net != raw.samples.end() && errors != raw.samples.end()) {
    row.below_resolution =
        MostlyBelowResolution(Values(net->second), Values(errors->second));
  }
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

const NoiseRatio* NoiseOf(const EnergyStudyReport& report,
                          const Setting& condition) {
  for (const NoiseRatio& noise : report.metric_noise) {
    if (noise.condition == condition) return &noise;
  }
  return nullptr;
}

bool TakesLess(const EnergyPair& pair, const EnergyRow& row,
               const EnergyRow& than) {
  return (pair.proven < 0 && pair.a == row.runtime && pair.b == than.runtime) ||
         (pair.proven > 0 && pair.b == row.runtime && pair.a == than.runtime);
}

// Rows of one condition, whose pairs are in the report.
void Rank(const std::vector<EnergyRow*>& rows, EnergyStudyReport* report) {
  const auto less_than = [&](const EnergyRow& row) {
    int less = 0;
    for (const EnergyPair& pair : report->pairs) {
      if (pair.condition != row.condition) continue;
      for (const EnergyRow* other : rows) {
        less += TakesLess(pair, *other, row) ? 1 : 0;
      }
    }
    return less;
  };
  std::vector<int> less;
  for (const EnergyRow* row : rows) less.push_back(less_than(*row));
  if (std::ranges::all_of(less, [](int n) { return n == 0; })) return;
  for (size_t i = 0; i < rows.size(); ++i) rows[i]->rank = 1 + less[i];
}

// The values of two rows in the rounds that both have.
struct Paired {
  std::vector<double> a, b;
};

Paired PairUp(const EnergyRow& a, const EnergyRow& b) {
  Paired paired;
  for (const auto& [round, value] : a.compared) {
    const auto other = b.compared.find(round);
    if (other == b.compared.end()) continue;
    paired.a.push_back(value);
    paired.b.push_back(other->second);
  }
  return paired;
}

bool AllPositive(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value > 0; });
}

// Which of the two takes more, provided that the test found a difference.
int ProvenSide(const Paired& paired, const NoiseRatio* noise) {
  if (noise == nullptr || !noise->Resolution() || !AllPositive(paired.a) ||
      !AllPositive(paired.b)) {
    return 0;
  }
  const Estimate ratio = PairedRatio(paired.a, paired.b);
  const double margin = 1 + *noise->Resolution();
  if (ratio.low > margin) return 1;
  return ratio.high * margin < 1 ? -1 : 0;
}

// Tests between all rows of a condition.
void Compare(const Setting& condition, const std::vector<EnergyRow*>& rows,
             EnergyStudyReport* report) {
  std::vector<std::vector<double>> groups;
  for (const EnergyRow* row : rows) groups.push_back(Values(row->compared));
  if (groups.size() < 2) return;
  report->differences[ToString(condition)] = KruskalWallis(groups);
  const size_t count = rows.size() * (rows.size() - 1) / 2;
  const int needed =
      PairsForWilcoxon(kSignificant / static_cast<double>(count));
  std::vector<EnergyPair> pairs;
  std::vector<double> p;
  std::vector<int> sides;
  for (size_t a = 0; a < rows.size(); ++a) {
    for (size_t b = a + 1; b < rows.size(); ++b) {
      const Paired paired = PairUp(*rows[a], *rows[b]);
      p.push_back(WilcoxonSignedRank(paired.a, paired.b).p);
      sides.push_back(ProvenSide(paired, NoiseOf(*report, condition)));
      pairs.push_back({condition, rows[a]->runtime, rows[b]->runtime,
                       std::nullopt, static_cast<int>(paired.a.size()), needed,
                       CliffsDelta(groups[a], groups[b]), 0});
    }
  }
  const std::vector<double> adjusted = HolmAdjusted(p);
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].rounds >= needed) pairs[i].p = adjusted[i];
    if (pairs[i].p.value_or(1) < kSignificant) pairs[i].proven = sides[i];
    report->pairs.push_back(pairs[i]);
  }
}

// Of that sample, by the rounds that the row shares with stint's own.
std::optional<Estimate> RatioToStint(const std::vector<RawRow>& rows,
                                     const RawRow& raw,
                                     const std::string& sample) {
  const auto figures = raw.samples.find(sample);
  if (figures == raw.samples.end()) return std::nullopt;
  for (const RawRow& stint : rows) {
    if (stint.row.runtime == "stint" && !stint.second_entry &&
        stint.row.condition == raw.row.condition) {
      const auto ours = stint.samples.find(sample);
      if (ours == stint.samples.end() || !AllPositive(Values(ours->second)) ||
          !AllPositive(Values(figures->second))) {
        return std::nullopt;
      }
      return RatioByRound(figures->second, ours->second);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string WhyNoRanks(const EnergyStudyReport& report,
                       const Setting& condition) {
  for (const EnergyRow& row : report.rows) {
    if (row.condition == condition && row.rank) return "";
  }
  const NoiseRatio* noise = NoiseOf(report, condition);
  if (noise == nullptr || !noise->Resolution()) {
    return "no ranks: the noise of " + report.metric + " is unknown";
  }
  for (const EnergyPair& pair : report.pairs) {
    if (pair.condition == condition && !pair.p) {
      return "no ranks: the test of the pairs needs " +
             std::to_string(pair.needs_rounds) + " rounds";
    }
  }
  return "no ranks: no difference is proven beyond the noise";
}

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
    const auto ratio = RatioToStint(raw_rows, raw, "run_ms");
    if (raw.second_entry) {
      if (ratio) report.noise.push_back(JudgeNoise(raw.row.condition, *ratio));
      const auto of_metric = RatioToStint(raw_rows, raw, report.metric);
      if (of_metric) {
        report.metric_noise.push_back(
            JudgeNoise(raw.row.condition, *of_metric));
      }
      continue;
    }
    raw.row.ratio_to_stint = ratio;
    if (raw.row.ok()) {
      raw.row.compared = raw.samples[report.metric];
      raw.row.normality_p = ShapiroWilk(Values(raw.row.compared)).p;
      metric.push_back(Median(Values(raw.row.compared)));
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
    Compare(condition, rows, &report);
    if (report.metric == "net_joules") {
      std::erase_if(rows, [](const EnergyRow* row) {
        return row->below_resolution.value_or(false);
      });
    }
    Rank(rows, &report);
  }
  return report;
}

}  // namespace stint
