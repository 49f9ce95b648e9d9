// What a report may say of a comparison: intervals, ranks, stars.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "lab/report/report_for_test.h"
#include "lab/report/write_report.h"

namespace stint {
namespace {

TEST_F(ReportTest, FrontsHaveIntervalsAndEachStatisticItsColumn) {
  for (const char* kind : {"bench", "energy"}) Run(kind);
  const Report report = MakeReport({path_}).value();
  size_t points = 0;
  for (const auto& plot : nlohmann::json::parse(PlotsJson(report))) {
    const bool time = plot["x"]["label"] == "p50 ms";
    if (!time && plot["x"]["label"] != "ms per inference") continue;
    for (const auto& series : plot["series"]) {
      if (series["mark"] != "dots") continue;
      for (const auto& point : series["points"]) {
        EXPECT_TRUE(point.contains("x_low") && point.contains("x_high"));
        EXPECT_EQ(point.contains("low"), !time);
        ++points;
      }
    }
  }
  EXPECT_EQ(points, 12u);
  for (const Figure& figure : report.studies[1].section.figures) {
    if (figure.title != "Tests of the differences") continue;
    EXPECT_EQ(figure.table.columns[3], "h");
    EXPECT_EQ(figure.table.rows[0][1].text, "all");
    EXPECT_TRUE(figure.table.rows[0][3].number);
    EXPECT_FALSE(figure.table.rows[0][5].number);  // no delta
    return;
  }
  FAIL() << "no tests";
}

// Stars and ranks need quiet A/A rows.
TEST_F(ReportTest, WithoutTheNoiseNothingIsBest) {
  const auto stars = [](const Report& report) {
    size_t count = 0;
    for (const auto& plot : nlohmann::json::parse(PlotsJson(report))) {
      for (const auto& series : plot["series"]) {
        count += series["mark"] == "stars" ? 1 : 0;
      }
    }
    return count;
  };
  for (const char* kind : {"bench", "energy"}) Run(kind, 1000, 3);
  const Report unknown = MakeReport({path_}).value();
  EXPECT_EQ(stars(unknown), 0u);
  const std::string text = ReportMarkdown(unknown);
  EXPECT_EQ(text.find(" first, by"), std::string::npos);
  EXPECT_NE(text.find("no ranks: the noise of"), std::string::npos);
  EXPECT_NE(text.find("There are no stars"), std::string::npos);
  path_ += "2";
  for (const char* kind : {"bench", "energy"}) Run(kind, 1000, 6);
  const Report quiet = MakeReport({path_}).value();
  EXPECT_EQ(stars(quiet), 6u);  // a front per condition
  EXPECT_NE(
      ReportMarkdown(quiet).find("first, by proven rank: stint 1, peer 2"),
      std::string::npos);
  EXPECT_NE(ReportMarkdown(quiet).find("below\\_resolution"),
            std::string::npos);
}

// Three rounds: no interval, and none made up from the ends that stand for it.
TEST_F(ReportTest, IntervalsThatAreNotKnownAreNotShown) {
  for (const char* kind : {"bench", "framework-tax", "energy"}) {
    Run(kind, 1000, 3);
  }
  const Report report = MakeReport({path_}).value();
  EXPECT_NE(ReportMarkdown(report).find("needs 6 rounds"), std::string::npos);
  const auto json = nlohmann::json::parse(ReportJson(report));
  EXPECT_TRUE(json["studies"][0]["noise"][0]["ratio_low"].is_null());
  const std::regex unknown("\\b(inf|nan)\\b", std::regex::icase);
  for (const std::string& text :
       {ReportMarkdown(report), ReportCsv(report), ReportJson(report),
        ReportText(report, 100), PlotsJson(report)}) {
    EXPECT_FALSE(std::regex_search(text, unknown));
  }
  for (const auto& plot : nlohmann::json::parse(PlotsJson(report))) {
    for (const auto& series : plot["series"]) {
      if (series["mark"] == "band") continue;
      for (const auto& point : series["points"]) {
        EXPECT_FALSE(point.contains("low")) << point;
      }
    }
  }
}

}  // namespace
}  // namespace stint
