#include "lab/plot/plot.h"

#include <gtest/gtest.h>

#include <limits>

#include "lab/plot/braille_canvas.h"
#include "lab/plot/terminal_plot.h"
#include "lab/plot/terminal_text.h"

namespace stint {
namespace {

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

Plot TwoCurves() {
  Plot plot;
  plot.title = "net";
  plot.x = {"batch", true};
  plot.y = {"ms", true};
  plot.series = {
      {"stint", PlotMark::kLine, {{1, 1, {}, {}, ""}, {8, 8, {}, {}, ""}}},
      {"peer", PlotMark::kLine, {{1, 2, {}, {}, ""}, {8, 10, {}, {}, ""}}}};
  return plot;
}

TEST(ParetoFront, KeepsWhatNoOtherBeatsOnBothAxes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<PlotPoint> points = {{1, 4, {}, {}, ""},
                                         {2, 2, {}, {}, ""},
                                         {2, 3, {}, {}, ""},
                                         {4, 1, {}, {}, ""},
                                         {nan, 0, {}, {}, ""}};
  EXPECT_EQ(ParetoFront(points),
            (std::vector<bool>{true, true, false, true, false}));
}

TEST(ParetoFront, IsNotLostByLessThanTheResolution) {
  const std::vector<PlotPoint> points = {
      {100, 100, {}, {}, ""}, {101, 101, {}, {}, ""}, {103, 100, {}, {}, ""}};
  EXPECT_EQ(ParetoFront(points), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(ParetoFront(points, 0.02), (std::vector<bool>{true, true, false}));
}

TEST(CellText, RoundsForPeopleAndKeepsCounts) {
  EXPECT_EQ(CellText(1.23456), "1.235");
  EXPECT_EQ(CellText(123456789.0), "123456789");
  EXPECT_EQ(CellText(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(CellText(std::optional<double>()), "-");
  EXPECT_EQ(CellText("text"), "text");
}

TEST(BrailleCanvas, SetsTheDotsOfUnicode) {
  BrailleCanvas canvas(2, 1);
  canvas.Dot(0, 0);
  canvas.Dot(1, 3);
  canvas.Dot(9, 9);  // outside
  EXPECT_EQ(canvas.Row(0), "\u2881 ");
  canvas.Letter(2, 0, 'a');
  EXPECT_EQ(canvas.Row(0), "\u2881a");
}

TEST(TerminalPlot, CurvesEndInTheirCornersAndHaveALegend) {
  const auto lines = LinesOf(TerminalPlot(TwoCurves(), 60));
  // Title, label of y, 14 rows, axis, ticks, label of x, legend.
  ASSERT_GE(lines.size(), 21u);
  EXPECT_EQ(lines[2].back(), 'b');  // the largest of the second curve
  EXPECT_NE(lines[15].find("│a"), std::string::npos);
  EXPECT_NE(lines[19].find("a stint"), std::string::npos);
  EXPECT_NE(lines[20].find("b peer"), std::string::npos);
  for (const std::string& line : lines) EXPECT_LE(WidthOf(line), 60u) << line;
}

TEST(TerminalPlot, SaysWhenThereIsNothingToDraw) {
  Plot plot = TwoCurves();
  for (PlotSeries& series : plot.series) {
    for (PlotPoint& point : series.points) point.y = -1;  // not on a log axis
  }
  EXPECT_NE(TerminalPlot(plot, 80).find("nothing to draw"), std::string::npos);
}

TEST(TerminalPlot, AForestHasItsIntervalsAndReference) {
  Plot plot;
  plot.x = {"ratio", true};
  plot.rows = {"A/A", "peer"};
  plot.reference = 1;
  plot.series = {
      {"r", PlotMark::kDots, {{1, 0, 0.98, 1.02, ""}, {2, 1, 1.5, 2.5, ""}}}};
  const auto lines = LinesOf(TerminalPlot(plot, 80));
  EXPECT_NE(lines[0].find("1 [0.98, 1.02]"), std::string::npos);
  EXPECT_NE(lines[1].find("─●─"), std::string::npos);
  EXPECT_NE(lines[1].find("│"), std::string::npos);
  EXPECT_NE(lines[1].find("2 [1.5, 2.5]"), std::string::npos);
}

TEST(TerminalTable, AlignsColumnsAndCutsControlCharacters) {
  const Table table{{"name", "ms"}, {{"a\x1b[31m", 1.5}, {"b", 10.25}}};
  const auto lines = LinesOf(TerminalTable(table, 80));
  EXPECT_EQ(lines[0], "  name       ms");
  EXPECT_EQ(lines[2], "  b          10.25");
  EXPECT_NE(lines[1].find("a\\x1b[31m"), std::string::npos);
  EXPECT_EQ(lines[1].find('\x1b'), std::string::npos);
}

TEST(TerminalTable, LeavesOutColumnsThatAreNotBriefOrEmpty) {
  Table table{{"name", "file_bytes", "nothing", "detail"},
              {{"a", 1500000, std::optional<double>(), "x"}, {"b", 7, "", "y"}},
              {"name", "file_bytes", "nothing"}};
  const auto lines = LinesOf(TerminalTable(table, 80));
  ASSERT_GE(lines.size(), 3u);
  EXPECT_EQ(lines[0], "  name  file");
  EXPECT_EQ(lines[1], "  a      1.5 MB");
  EXPECT_EQ(lines[2], "  b     7 bytes");
}

}  // namespace
}  // namespace stint
