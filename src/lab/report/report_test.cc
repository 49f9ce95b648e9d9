#include "lab/report/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/report/report_for_test.h"
#include "lab/report/write_report.h"

namespace stint {
namespace {

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST_F(ReportTest, HasASectionPerStudyWithItsFigures) {
  for (const char* kind : {"bench", "framework-tax", "energy"}) Run(kind);
  const Report report = MakeReport({path_}).value();
  ASSERT_EQ(report.studies.size(), 3u);
  EXPECT_EQ(report.points(), 3 * 63);
  EXPECT_EQ(report.failed(), 0);
  for (const ReportStudy& study : report.studies) {
    EXPECT_GE(study.section.figures.size(), 2u) << study.section.title;
    EXPECT_FALSE(study.section.noise.empty()) << study.section.title;
    EXPECT_TRUE(AllQuiet(study.section.noise));
    for (const Figure& figure : study.section.figures) {
      for (const auto& row : figure.table.rows) {
        EXPECT_EQ(row.size(), figure.table.columns.size()) << figure.title;
      }
    }
  }
}

TEST_F(ReportTest, ElasticStudiesHaveAPlotPerMemoryBudget) {
  RunElastic();
  const Report report = MakeReport({path_}).value();
  const ReportSection& section = report.studies[0].section;
  const Figure& accuracy = section.figures[0];
  ASSERT_EQ(accuracy.plots.size(), 2u);
  EXPECT_EQ(accuracy.plots[0].series.size(), 1u);  // the other has no plan
  EXPECT_EQ(accuracy.plots[1].series.size(), 2u);
  EXPECT_EQ(accuracy.plots[1].series[0].points.size(), 2u);
  EXPECT_EQ(accuracy.table.rows.size(), 8u);
  EXPECT_EQ(ReportHtml(report).find("<img"), std::string::npos);
}

TEST_F(ReportTest, StudiesAcrossTheStackSayWhereSmallerIsSlower) {
  RunStack();
  const Report report = MakeReport({path_}).value();
  const ReportSection& section = report.studies[0].section;
  EXPECT_EQ(section.title, "Across the stack");
  ASSERT_EQ(section.figures.size(), 3u);
  EXPECT_EQ(section.figures[0].plots.size(), 2u);
  EXPECT_EQ(section.figures[0].table.rows.size(), 8u);
  for (const Figure& figure : section.figures) {
    for (const auto& row : figure.table.rows) {
      EXPECT_EQ(row.size(), figure.table.columns.size()) << figure.title;
    }
  }
  const auto& speedups = section.figures[1].table.rows;
  ASSERT_EQ(speedups.size(), 2u);
  EXPECT_EQ(*speedups[0][3].number, 2);
  EXPECT_EQ(*speedups[0][4].number, 0.8);
  EXPECT_EQ(speedups[0][6].text, "c: direct 40 us, sparse 60 us");
  for (const Figure& figure : report.studies[0].conduct) {
    for (const Plot& plot : figure.plots) EXPECT_NE(plot.title, "mean power");
  }
  // Another compute, another primitive: for both compressions.
  EXPECT_EQ(section.figures[2].table.rows.size(), 2u);
  EXPECT_EQ(ReportHtml(report).find("<img"), std::string::npos);
}

TEST_F(ReportTest, ForestsHaveTheNoiseFirstAndTheRatioOfTheRounds) {
  Run("framework-tax");
  const Report report = MakeReport({path_}).value();
  for (const Figure& figure : report.studies[0].section.figures) {
    if (figure.title.rfind("Times over stint", 0) != 0) continue;
    const Plot& plot = figure.plots[0];
    ASSERT_EQ(plot.rows.size(), 2u);
    EXPECT_EQ(plot.rows[0].rfind("A/A", 0), 0u);
    EXPECT_DOUBLE_EQ(plot.series[1].points[0].x, 3);
    return;
  }
  FAIL() << "no forest";
}

TEST_F(ReportTest, TextsOfTheDatabaseCannotLeaveTheirPlaceInThePage) {
  for (const char* kind : {"bench", "framework-tax", "energy"}) Run(kind);
  const std::string page = ReportHtml(MakeReport({path_}).value());
  EXPECT_EQ(page.find("<img"), std::string::npos);
  // Plots, Chart.js and the page's own.
  EXPECT_EQ(Count(page, "</script>"), 3u);
  EXPECT_EQ(Count(page, "<script"), 3u);
  EXPECT_NE(page.find("&lt;img src=x"), std::string::npos);
}

TEST_F(ReportTest, ThePageLoadsNothingFromElsewhere) {
  Run("bench");
  const std::string page = ReportHtml(MakeReport({path_}).value());
  for (const char* reference : {"src=\"", "<link", "@import", "url("}) {
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("Chart.js v3"), std::string::npos);
}

TEST_F(ReportTest, EveryPlotHasACanvasATableAndTheCommand) {
  Run("energy");
  const Report report = MakeReport({path_}).value();
  const std::string page = ReportHtml(report);
  const auto plots = nlohmann::json::parse(PlotsJson(report));
  EXPECT_EQ(Count(page, "<canvas"), plots.size());
  EXPECT_EQ(Count(page, "<button class=\"save\""), plots.size());
  EXPECT_GT(plots.size(), 3u);
  EXPECT_EQ(Count(page, "<figure>"), Count(page, "<table>"));
  EXPECT_EQ(Count(page, "<summary>Command"), Count(page, "<figure>"));
  EXPECT_NE(page.find("<pre class=\"command\">test_"), std::string::npos);
}

TEST_F(ReportTest, JsonHasTheCountsAndTheRows) {
  Run("framework-tax");
  const auto json =
      nlohmann::json::parse(ReportJson(MakeReport({path_}).value()));
  EXPECT_EQ(json["points"], 63);
  EXPECT_EQ(json["done"], 63);
  EXPECT_EQ(json["studies"][0]["study"], "framework-tax");
  EXPECT_EQ(json["studies"][0]["figures"][0]["rows"][0]["run_ms"], 9);
}

TEST_F(ReportTest, CsvQuotesAndMarkdownEscapes) {
  Run("framework-tax");
  const Report report = MakeReport({path_}).value();
  const std::string csv = ReportCsv(report);
  EXPECT_EQ(csv.rfind("study,machine,figure,row,column,value\n", 0), 0u);
  EXPECT_NE(csv.find("|`a`,\"\"b\"\"\"\n"), std::string::npos);
  const std::string markdown = ReportMarkdown(report);
  EXPECT_EQ(markdown.find("<img"), std::string::npos);
  EXPECT_NE(markdown.find("\\|\\`a\\`"), std::string::npos);
}

TEST_F(ReportTest, ATerminalGetsPlotsAndNoControlCharacter) {
  Run("framework-tax");
  const std::string text = ReportText(MakeReport({path_}).value(), 60);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("a peer"), std::string::npos);
  EXPECT_NE(text.find("b stint"), std::string::npos);
}

TEST_F(ReportTest, AStudyThatWasStoppedShowsWhatItHas) {
  for (const char* kind : {"bench", "framework-tax", "energy"}) {
    Run(kind, 1);
    Run(kind, 4);
  }
  const Report report = MakeReport({path_}).value();
  ASSERT_EQ(report.studies.size(), 3u);
  for (const ReportStudy& study : report.studies) {
    EXPECT_EQ(study.stored.points, 5) << study.section.title;
    EXPECT_TRUE(study.section.noise.empty());
  }
  EXPECT_NE(ReportMarkdown(report).find("unfinished"), std::string::npos);
}

TEST_F(ReportTest, AnUnknownKindStillShowsHowItsRunWent) {
  Run("across-moons");
  const Report report = MakeReport({path_}).value();
  EXPECT_EQ(report.studies[0].section.title, "across-moons");
  EXPECT_EQ(report.studies[0].stored.points, 63);
  EXPECT_NE(ReportHtml(report).find("has no figures"), std::string::npos);
}

TEST_F(ReportTest, AFileWithoutStudiesIsRefused) {
  { auto database = StudyDatabase::Open(path_).value(); }
  const auto report = MakeReport({path_});
  EXPECT_EQ(report.status().code(), StatusCode::kDamaged);
  EXPECT_NE(report.status().message().find("r.db"), std::string::npos);
}

TEST(NoiseSentence, SaysWhenRowsCannotBeRanked) {
  const NoiseRatio calm = JudgeNoise({{"batch", "1"}}, {1, 0.99, 1.01});
  const NoiseRatio wide = JudgeNoise({{"batch", "2"}}, {1, 0.9, 1.1});
  EXPECT_NE(NoiseSentence({calm}).find("run resolves 1.01 %"),
            std::string::npos);
  const std::string sentence = NoiseSentence({calm, wide});
  EXPECT_NE(sentence.find("Too noisy to rank"), std::string::npos);
  EXPECT_NE(sentence.find("1 of 2"), std::string::npos);
}

}  // namespace
}  // namespace stint
