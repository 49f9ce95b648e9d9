#include "lab/report/study_json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/write_report.h"

namespace stint {
namespace {

TEST(RowsJson, HasColumnsAsKeysAndTypesOfPrograms) {
  const Table table{{"name", "note", "count", "ms", "unknown", "low", "sure"},
                    {{"a", "", 3, 1.5, std::optional<double>(), NAN,
                      YesNo(std::optional(true))},
                     {"b", "n", 4, 2.0, 1.0, 1.0, YesNo(std::nullopt)}}};
  EXPECT_EQ(RowsJson(table).dump(),
            R"([{"name":"a","note":"","count":3,"ms":1.5,"unknown":null,)"
            R"("low":null,"sure":true},{"name":"b","note":"n","count":4,)"
            R"("ms":2,"unknown":1,"low":1,"sure":null}])");
}

TEST(BenchJson, HasKeysOfEnergyOnlyInRowsThatHaveIt) {
  BenchReport report;
  report.rows.resize(2);
  report.rows[0].energy_grade = "A";
  report.rows[0].condition = report.rows[1].condition = {{"batch", "8"}};
  const Json rows = BenchJson(report)["rows"];
  EXPECT_TRUE(rows[0].contains("net_joules"));
  EXPECT_FALSE(rows[1].contains("net_joules"));
  EXPECT_EQ(rows[1]["batch"], 8);
  EXPECT_TRUE(rows[1]["seq"].is_null());
}

TEST(SectionText, HasFindingsAndEveryRowOfTheTables) {
  ReportSection section;
  section.findings = {"It is fast."};
  Table table{{"name"}, {}};
  for (int i = 0; i < 100; ++i) table.rows.push_back({"row"});
  section.figures.push_back({"Rows", "", {}, table});
  const std::string text = SectionText(section, 80);
  EXPECT_TRUE(text.starts_with("  * It is fast.\n\nRows\n  name\n  row\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 1 + 1 + 1 + 100);
}

TEST(SectionMarkdown, HasNoHeadingsWithoutTitles) {
  ReportSection section;
  section.figures.push_back({"", "", {}, {{"name"}, {{"a"}}}});
  EXPECT_EQ(SectionMarkdown(section), "| name |\n|---|\n| a |\n\n");
}

}  // namespace
}  // namespace stint
