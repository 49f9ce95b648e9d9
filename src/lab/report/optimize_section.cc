#include <algorithm>

#include "lab/optimize/optimize.h"
#include "lab/report/sections.h"

namespace stint {

ReportSection OptimizeSection(const OptimizeReport& report) {
  Figure figure;
  figure.caption =
      "front: nothing else is both faster and as accurate; misses: the limit "
      "that is not kept.";
  figure.table.columns = {"accuracy", "ms",    "bytes",  "peak_rss_bytes",
                          "what",     "front", "chosen", "misses"};
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const OptimizeRow& row = report.rows[i];
    std::optional<double> peak;
    if (row.peak_bytes > 0) peak = static_cast<double>(row.peak_bytes);
    figure.table.rows.push_back({row.accuracy, row.ms, row.bytes, peak,
                                 row.Describe(), row.pareto ? "yes" : "",
                                 report.best && i == *report.best ? "yes" : "",
                                 row.fails});
  }
  ReportSection section;
  section.figures.push_back(std::move(figure));
  if (report.not_evaluated > 0) {
    section.findings.push_back(
        std::to_string(report.not_evaluated) +
        " plain prunings are slower than int8 and not shown.");
  }
  return section;
}

}  // namespace stint
