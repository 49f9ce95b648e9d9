#include <algorithm>

#include "core/platform/file.h"
#include "lab/report/report.h"
#include "lab/report/sections.h"

namespace stint {
namespace {

// The section of a study by its name; one row per kind.
struct StudyKind {
  const char* name;
  Result<ReportSection> (*read)(const Study& study, StudyDatabase* database);
};

constexpr StudyKind kKinds[] = {
    {"bench",
     [](const Study& study, StudyDatabase* database) -> Result<ReportSection> {
       STINT_ASSIGN_OR_RETURN(const auto report,
                              MakeBenchReport(study, database));
       return BenchSection(report);
     }},
    {"framework-tax",
     [](const Study& study, StudyDatabase* database) -> Result<ReportSection> {
       STINT_ASSIGN_OR_RETURN(const auto report,
                              MakeTaxReport(study, database));
       return TaxSection(report);
     }},
    {"energy",
     [](const Study& study, StudyDatabase* database) -> Result<ReportSection> {
       STINT_ASSIGN_OR_RETURN(const auto report,
                              MakeEnergyStudyReport(study, database));
       return EnergySection(report);
     }},
    {"elastic",
     [](const Study& study, StudyDatabase* database) -> Result<ReportSection> {
       STINT_ASSIGN_OR_RETURN(const auto report,
                              MakeElasticReport(study, database));
       return ElasticSection(report);
     }},
    {"across-stack",
     [](const Study& study, StudyDatabase* database) -> Result<ReportSection> {
       STINT_ASSIGN_OR_RETURN(const auto report,
                              MakeStackReport(study, database));
       return StackSection(report);
     }},
};

// A kind that is not known here still shows how its run went.
Result<ReportSection> ReadSection(const Study& study, StudyDatabase* database) {
  for (const StudyKind& kind : kKinds) {
    if (study.name == kind.name) return kind.read(study, database);
  }
  ReportSection section;
  section.title = study.name;
  section.findings = {"This program has no figures for studies of this kind."};
  return section;
}

void AddFailures(const StoredStudy& stored, ReportStudy* study) {
  if (stored.failures.empty()) return;
  Figure figure;
  figure.title = "What did not run";
  figure.caption =
      "Points with another status than ok, with the reason that was recorded; "
      "a treatment that failed its check has no later rounds.";
  figure.table.columns = {"condition", "treatment", "status", "points",
                          "reason"};
  for (const StoredFailure& failure : stored.failures) {
    figure.table.rows.push_back(
        {failure.condition, failure.treatment, failure.status,
         static_cast<double>(failure.points), failure.reason});
  }
  study->conduct.push_back(std::move(figure));
}

Plot OverTime(const char* title, const char* unit,
              std::vector<PlotSeries> series) {
  return {title,
          {"minutes since the first point", false},
          {unit, false},
          std::move(series),
          {},
          {}};
}

// What others took of the machine while each point ran, and its power.
void AddMoments(const StoredStudy& stored, ReportStudy* study) {
  PlotSeries stolen{"steal", PlotMark::kLine, {}};
  PlotSeries throttled{"throttled", PlotMark::kLine, {}};
  PlotSeries power{"power", PlotMark::kLine, {}};
  Figure figure;
  figure.title = "The machine meanwhile";
  figure.caption =
      "Steal is CPU time that the host gave to other guests, throttled is time "
      "that a quota stopped this one, both while a point ran; involuntary "
      "switches are those of the measured process.";
  figure.table.columns = {"minute", "steal_ms", "throttled_ms",
                          "involuntary_switches", "mean_watts"};
  for (const StoredMoment& moment : stored.moments) {
    const double minute = moment.hours * 60;
    stolen.points.push_back({minute, moment.steal_ms, {}, {}, ""});
    throttled.points.push_back({minute, moment.throttled_ms, {}, {}, ""});
    if (moment.mean_watts) {
      power.points.push_back({minute, *moment.mean_watts, {}, {}, ""});
    }
    figure.table.rows.push_back({minute, moment.steal_ms, moment.throttled_ms,
                                 moment.involuntary_switches,
                                 moment.mean_watts});
  }
  const bool measured = !power.points.empty();
  figure.plots.push_back(OverTime("CPU time taken by others, per point", "ms",
                                  {std::move(stolen), std::move(throttled)}));
  if (measured) {
    figure.plots.push_back(OverTime("mean power", "W", {std::move(power)}));
  }
  study->conduct.push_back(std::move(figure));
}

Status AddFile(const std::string& file, Report* report) {
  STINT_ASSIGN_OR_RETURN(StudyDatabase database, StudyDatabase::OpenCopy(file));
  const auto studies = ReadStudies(&database);
  if (!studies.ok()) return studies.status().Annotate(file);
  if (studies->empty()) return Damaged(file + ": no results of a study in it");
  for (const StoredStudy& stored : *studies) {
    STINT_RETURN_IF_ERROR(database.UseMachine(stored.machine, stored.host));
    auto section = ReadSection(stored.study, &database);
    if (!section.ok()) return section.status().Annotate(file);
    ReportStudy study{BaseName(file), stored, *std::move(section), {}};
    AddFailures(stored, &study);
    AddMoments(stored, &study);
    report->studies.push_back(std::move(study));
  }
  return OkStatus();
}

int64_t Sum(const Report& report, int64_t StoredStudy::*count) {
  int64_t sum = 0;
  for (const ReportStudy& study : report.studies) sum += study.stored.*count;
  return sum;
}

}  // namespace

int64_t Report::points() const { return Sum(*this, &StoredStudy::points); }
int64_t Report::done() const { return Sum(*this, &StoredStudy::done); }
int64_t Report::failed() const { return Sum(*this, &StoredStudy::failed); }

Result<Report> MakeReport(const std::vector<std::string>& files) {
  Report report;
  for (const std::string& file : files) {
    STINT_RETURN_IF_ERROR(AddFile(file, &report));
  }
  return report;
}

}  // namespace stint
