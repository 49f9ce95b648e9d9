#include <algorithm>

#include "lab/stack/alike_points.h"
#include "lab/stack/stack_report.h"
#include "lab/stack/tuned_schedules.h"

namespace stint {
namespace {

constexpr char kEvaluatedTime[] = "run_ms_p50";

// A fact of one round; rounds with others are named once each.
void TakeFact(const Outcome& outcome, const char* name, std::string* text) {
  const auto fact = outcome.facts.find(name);
  if (fact == outcome.facts.end() ||
      text->find(fact->second) != std::string::npos) {
    return;
  }
  *text += (text->empty() ? "" : "; ") + fact->second;
}

std::string FactOf(const Outcome& outcome, const char* name) {
  const auto fact = outcome.facts.find(name);
  return fact == outcome.facts.end() ? "" : fact->second;
}

int64_t ForcedLayers(const Outcome& outcome) {
  return static_cast<int64_t>(outcome.Sample(kForcedSample).value_or(-1));
}

// A round after the first, in which the point was only timed; one that failed
// has nothing to say.
bool IsTiming(const Point& point, const Outcome& outcome) {
  return outcome.samples.contains(kBlockSample) ||
         (point.round > 1 && !outcome.ok() && !outcome.emulated());
}

// What a round in which the point was evaluated says.
void TakeEvaluation(const Outcome& outcome, int round, StackRow* row,
                    StackReport* report) {
  if (row->status.empty() || !outcome.ok()) {
    row->status = outcome.status;
    row->reason = outcome.reason;
  }
  TakeFact(outcome, kDeviceFact, &row->device);
  TakeFact(outcome, kAlikeFact, &row->alike);
  if (row->kernels.empty()) TakeFact(outcome, kKernelsFact, &row->kernels);
  row->forced_layers = std::max(row->forced_layers, ForcedLayers(outcome));
  if (outcome.ok() || outcome.emulated()) {
    ++(outcome.facts.contains(kAlikeFact) ? report->taken_over
                                          : report->evaluated);
  }
  if (const auto ms = outcome.Sample(kEvaluatedTime)) row->times[round] = *ms;
}

// Counts the rounds of the row in `report`, too.
Result<StackRow> ReadRow(const Study& study, int64_t id, Point point,
                         StudyDatabase* database, StackReport* report) {
  StackRow row;
  row.setting = point.condition;
  row.setting.insert(row.setting.end(), point.treatment.begin(),
                     point.treatment.end());
  std::map<std::string, std::vector<double>> samples;
  std::map<int, double> blocks;
  std::string schedules;  // times of other ones are not this row's
  for (point.round = 1; point.round <= study.rounds; ++point.round) {
    const auto found = database->Find(id, point);
    if (found.status().code() == StatusCode::kNotFound) continue;
    STINT_ASSIGN_OR_RETURN(const Outcome outcome, found);
    if (IsTiming(point, outcome)) {
      if (FactOf(outcome, kSchedulesFact) != schedules) continue;
      if (const auto ms = outcome.Sample(kBlockSample)) {
        blocks[point.round] = *ms;
      } else {
        ++report->failed_timings;
      }
      continue;
    }
    TakeEvaluation(outcome, point.round, &row, report);
    schedules = FactOf(outcome, kSchedulesFact);
    for (const auto& [name, values] : outcome.samples) {
      auto& all = samples[name];
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  for (const auto& [name, values] : samples) {
    row.figures[name] = Median(values);
  }
  const auto rounds = static_cast<int>(blocks.size());
  report->timing_rounds = std::max(report->timing_rounds, rounds);
  if (!blocks.empty()) row.times = std::move(blocks);
  return row;
}

}  // namespace

Result<StackReport> MakeStackReport(const Study& study,
                                    StudyDatabase* database) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database->StudyId(study));
  StackReport report;
  for (const Setting& condition : study.conditions) {
    for (const Setting& treatment : study.treatments) {
      STINT_ASSIGN_OR_RETURN(
          StackRow row,
          ReadRow(study, id, {0, condition, treatment}, database, &report));
      if (row.status.empty()) continue;
      if (!row.device.empty())
        report.devices[row.Value("compute")] = row.device;
      report.rows.push_back(std::move(row));
    }
  }
  STINT_ASSIGN_OR_RETURN(report.programs,
                         database->FactValues(id, kProgramFact));
  AnalyzeStack(&report);
  return report;
}

}  // namespace stint
