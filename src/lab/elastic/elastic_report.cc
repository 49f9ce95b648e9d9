#include "lab/elastic/elastic_report.h"

#include "core/meter/statistics.h"
#include "lab/elastic/answers_study.h"
#include "lab/elastic/compare_policies.h"

namespace stint {
namespace {

constexpr char kPeak[] = "peak_rss_bytes";

// Adds a round to the row; one that has no answer makes the row so.
void AddRound(const Outcome& outcome, ElasticRow* row,
              std::map<std::string, std::vector<double>>* samples) {
  if (row->status.empty() || !outcome.ok()) {
    row->status = outcome.status;
    row->reason = outcome.reason;
  }
  for (const auto& [name, values] : outcome.samples) {
    auto& all = (*samples)[name];
    all.insert(all.end(), values.begin(), values.end());
  }
  if (const auto right = outcome.files.find(kRightFile);
      row->right.empty() && right != outcome.files.end()) {
    row->right = right->second;
  }
}

Result<ElasticRow> ReadRow(const Study& study, int64_t id, Point point,
                           ElasticReport* report, StudyDatabase* database) {
  ElasticRow row;
  row.condition = point.condition;
  row.policy = ValueOf(point.treatment, "policy");
  std::map<std::string, std::vector<double>> samples;
  for (point.round = 1; point.round <= study.rounds; ++point.round) {
    const auto found = database->Find(id, point);
    if (found.status().code() == StatusCode::kNotFound) continue;
    STINT_ASSIGN_OR_RETURN(Outcome outcome, found);
    STINT_RETURN_IF_ERROR(JoinAnswers(study, point, database, &outcome));
    AddRound(outcome, &row, &samples);
    if (const auto metric = outcome.facts.find("metric");
        metric != outcome.facts.end()) {
      report->metric = metric->second;
    }
  }
  for (const auto& [name, values] : samples) {
    row.figures[name] = name == kPeak ? Quantile(values, 1) : Median(values);
  }
  return row;
}

}  // namespace

std::optional<double> ElasticRow::Figure(const std::string& name) const {
  const auto found = figures.find(name);
  if (found == figures.end()) return std::nullopt;
  return found->second;
}

Result<ElasticReport> MakeElasticReport(const Study& study,
                                        StudyDatabase* database) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database->StudyId(study));
  ElasticReport report;
  for (const Setting& condition : study.conditions) {
    for (const Setting& treatment : study.treatments) {
      STINT_ASSIGN_OR_RETURN(
          ElasticRow row,
          ReadRow(study, id, {0, condition, treatment}, &report, database));
      // Of a study that was stopped, what it got to.
      if (!row.status.empty()) report.rows.push_back(std::move(row));
    }
  }
  for (const Setting& treatment : study.treatments) {
    report.policies.push_back(
        SummarizePolicy(report, ValueOf(treatment, "policy")));
  }
  ComparePolicies(&report);
  return report;
}

}  // namespace stint
