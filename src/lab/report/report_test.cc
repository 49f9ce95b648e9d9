#include "lab/report/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/peers/peer_points.h"
#include "lab/report/sections.h"
#include "lab/report/write_report.h"
#include "lab/study/run_study.h"

namespace stint {
namespace {

// What would do harm if it stood in a page as it is.
constexpr char kHostile[] =
    "</script><img src=x onerror=alert(1)>\x1b[2J|`a`,\"b\"";

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// 2 ms fixed and 1 ms per item, three times as much in the peer.
Outcome Timed(const Point& point) {
  const double batch = std::stod(ValueOf(point.condition, "batch"));
  const bool peer = ValueOf(point.treatment, "runtime") == "peer";
  const double run_ms = (2 + batch) * (peer ? 3 : 1);
  Outcome outcome;
  outcome.facts["version"] = kHostile;
  outcome.samples["run_ms"] = {run_ms, run_ms, run_ms};
  outcome.samples["cpu_ms"] = {run_ms};
  outcome.samples["peak_rss_bytes"] = {1e7};
  outcome.samples["kernel_ms"] = {run_ms - 0.5};
  outcome.samples["kernels"] = {10};
  outcome.samples[kMacsSample] = {1e6};
  outcome.samples[kNodesSample] = {20};
  return outcome;
}

class ReportTest : public testing::Test {
 protected:
  // A study of this kind whose model has the hostile name; it stops after so
  // many points more.
  void Run(const std::string& kind, int most = 1000) {
    Study study;
    study.name = kind;
    study.definition = "{}";
    study.rounds = 3;
    study.conditions =
        CrossAxes({{"model", {kHostile}}, {"batch", {"1", "2", "4"}}});
    study.treatments = {PeerTreatment("peer", "fp32"),
                        PeerTreatment("stint", "fp32"),
                        PeerTreatment("stint", "fp32", 2)};
    auto database = StudyDatabase::Open(path_).value();
    const auto run = [&](const Point& point) -> Result<Outcome> {
      if (most-- == 0) return IoError("disk full");
      return Timed(point);
    };
    (void)RunStudy(study, &database, run, [](int64_t, int64_t) {});
  }

  // Two policies within four budgets; one has no plan in the smaller memory.
  void RunElastic() {
    Study study;
    study.name = "elastic";
    study.check_round = false;
    study.conditions = CrossAxes({{"model", {kHostile}},
                                  {"storage", {"none"}},
                                  {"compute", {"all"}},
                                  {"memory", {"8MB", "16MB"}},
                                  {"latency", {"10ms", "20ms"}}});
    study.treatments = CrossAxes({{"policy", {"elastic", "sti"}}});
    auto database = StudyDatabase::Open(path_).value();
    const auto run = [](const Point& point) -> Result<Outcome> {
      Outcome outcome;
      const bool ours = ValueOf(point.treatment, "policy") == "elastic";
      if (!ours && ValueOf(point.condition, "memory") == "8MB") {
        outcome.status = "infeasible";
        outcome.reason = "8 MB cannot be met";
        return outcome;
      }
      outcome.facts["metric"] = "accuracy";
      outcome.samples["value"] = {ours ? 0.9 : 0.8};
      outcome.samples["run_ms_p50"] = {9};
      return outcome;
    };
    EXPECT_TRUE(RunStudy(study, &database, run, [](int64_t, int64_t) {}).ok());
  }

  // Two compressions by two primitives; one is slower than nothing at all.
  void RunStack() {
    Study study;
    study.name = "across-stack";
    study.check_round = false;
    study.conditions =
        CrossAxes({{"model", {kHostile}}, {"compute", {"all", "avx2"}}});
    study.treatments = CrossAxes({{"compression", {"none", "4x1:50%"}},
                                  {"primitive", {"direct", "winograd4"}}});
    auto database = StudyDatabase::Open(path_).value();
    const auto run = [](const Point& point) -> Result<Outcome> {
      Outcome outcome;
      const bool whole = ValueOf(point.treatment, "compression") == "none";
      const bool direct = ValueOf(point.treatment, "primitive") == "direct";
      const bool all = ValueOf(point.condition, "compute") == "all";
      outcome.samples["value"] = {whole ? 0.9 : 0.8};
      outcome.samples["run_ms_p50"] = {(whole ? 4.0 : 5.0) *
                                       (direct == all ? 1 : 2)};
      outcome.samples["nonzeros"] = {whole ? 100.0 : 50.0};
      outcome.samples["parameters_before"] = {100};
      outcome.samples[whole ? "layer/c/direct" : "layer/c/sparse"] = {
          whole ? 40.0 : 60.0};
      return outcome;
    };
    EXPECT_TRUE(RunStudy(study, &database, run, [](int64_t, int64_t) {}).ok());
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  std::string path_ = JoinPath(folder_.path(), "r.db");
};

TEST_F(ReportTest, HasASectionPerStudyWithItsFigures) {
  for (const char* kind : {"bench", "framework-tax", "energy"}) Run(kind);
  const Report report = MakeReport({path_}).value();
  ASSERT_EQ(report.studies.size(), 3u);
  EXPECT_EQ(report.points(), 3 * 36);
  EXPECT_EQ(report.failed(), 0);
  for (const ReportStudy& study : report.studies) {
    EXPECT_GE(study.section.figures.size(), 2u) << study.section.title;
    EXPECT_FALSE(study.section.noise.empty()) << study.section.title;
    EXPECT_FALSE(study.section.too_noisy());
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
  EXPECT_GT(plots.size(), 3u);
  EXPECT_EQ(Count(page, "<figure>"), Count(page, "<table>"));
  EXPECT_EQ(Count(page, "<summary>Command"), Count(page, "<figure>"));
  EXPECT_NE(page.find("<pre class=\"command\">test_"), std::string::npos);
}

TEST_F(ReportTest, JsonHasTheCountsAndTheRows) {
  Run("framework-tax");
  const auto json =
      nlohmann::json::parse(ReportJson(MakeReport({path_}).value()));
  EXPECT_EQ(json["points"], 36);
  EXPECT_EQ(json["done"], 36);
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
  EXPECT_EQ(report.studies[0].stored.points, 36);
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
  EXPECT_NE(NoiseSentence({calm}).find("within 3 %"), std::string::npos);
  const std::string sentence = NoiseSentence({calm, wide});
  EXPECT_NE(sentence.find("Too noisy to rank"), std::string::npos);
  EXPECT_NE(sentence.find("1 of 2"), std::string::npos);
}

}  // namespace
}  // namespace stint
