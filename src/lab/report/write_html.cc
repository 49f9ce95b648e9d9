#include "core/base/svg.h"
#include "lab/report/sections.h"
#include "lab/report/write_report.h"

namespace stint {
namespace {

// Longer cells are text that may wrap, and get the width for it.
constexpr size_t kLongText = 30;

// Nothing from elsewhere may be loaded.
constexpr char kHead[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, "
    "initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
    "'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src "
    "data:\">\n<title>stint report</title>\n";

std::string Element(const char* name, std::string_view text) {
  return std::string("<") + name + ">" + EscapeXml(text) + "</" + name + ">\n";
}

class Page {
 public:
  explicit Page(const Report& report) : report_(report) {}

  std::string Write() {
    Append(kHead);
    Append("<style>\n");
    Append(PageStyle());
    Append("</style>\n</head>\n<body>\n<header>\n<h1>stint report</h1>\n");
    WriteSummary();
    Append("</header>\n<main>\n");
    for (size_t i = 0; i < report_.studies.size(); ++i) WriteStudy(i);
    Append("</main>\n<script id=\"plots\" type=\"application/json\">");
    Append(PlotsJson(report_));
    Append("</script>\n<script>\n");
    Append(ChartScript());
    Append("\n</script>\n<script>\n");
    Append(SaveScript());
    Append(PageScript());
    Append("</script>\n</body>\n</html>\n");
    return std::move(text_);
  }

 private:
  void Append(std::string_view text) { text_ += text; }

  // What each study is and how far it can be trusted, before any figure.
  void WriteSummary() {
    Append(Element("p", std::to_string(report_.studies.size()) + " studies, " +
                            std::to_string(report_.points()) + " points: " +
                            std::to_string(report_.done()) + " done, " +
                            std::to_string(report_.failed()) + " failed."));
    Append(
        "<noscript><p class=\"alarm\">Plots need JavaScript; every table "
        "below works without.</p></noscript>\n<ul class=\"studies\">\n");
    for (size_t i = 0; i < report_.studies.size(); ++i) {
      const ReportStudy& study = report_.studies[i];
      Append("<li><a href=\"#study" + std::to_string(i) + "\">" +
             EscapeXml(study.section.title) + "</a> <span class=\"dim\">" +
             EscapeXml(study.file) + "</span>");
      WriteNoise(study.section);
      Append("</li>\n");
    }
    Append("</ul>\n");
  }

  void WriteNoise(const ReportSection& section) {
    if (section.noise.empty()) return;
    Append(AllQuiet(section.noise) ? "<p class=\"calm\">"
                                   : "<p class=\"alarm\">");
    Append(EscapeXml(NoiseSentence(section.noise)) + "</p>");
  }

  void WriteStudy(size_t number) {
    const ReportStudy& study = report_.studies[number];
    Append("<section id=\"study" + std::to_string(number) + "\">\n");
    Append(Element("h2", study.section.title));
    for (const std::string& text : study.section.method) {
      Append(Element("p", text));
    }
    WriteNoise(study.section);
    WriteConduct(study);
    if (!study.section.findings.empty()) {
      Append("<h3>What it says</h3>\n<ul>\n");
      for (const std::string& text : study.section.findings) {
        Append(Element("li", text));
      }
      Append("</ul>\n");
    }
    for (const Figure& figure : study.section.figures) {
      WriteFigure(figure, study);
    }
    for (const Figure& figure : study.conduct) WriteFigure(figure, study);
    Append("</section>\n");
  }

  // Machine, versions and settings.
  void WriteConduct(const ReportStudy& study) {
    const StoredStudy& stored = study.stored;
    Append("<dl>\n");
    Term("file", study.file);
    Term("machine", stored.machine.empty() ? "not recorded" : stored.machine);
    Term("run (UTC)", stored.created + " to " + stored.finished);
    Term("points", std::to_string(stored.points) + ": " +
                       std::to_string(stored.done) + " done, " +
                       std::to_string(stored.failed) + " failed, " +
                       std::to_string(stored.study.rounds) + " rounds");
    std::string versions;
    for (const auto& [runtime, values] : stored.versions) {
      for (const std::string& value : values) {
        versions += (versions.empty() ? "" : ", ") + runtime + " " + value;
      }
    }
    if (!versions.empty()) Term("versions", versions);
    for (const auto& [name, values] : stored.facts) {
      if (name == "command") continue;
      std::string all;
      for (const std::string& value : values) {
        all += (all.empty() ? "" : ", ") + value;
      }
      Term(name, all);
    }
    Term("definition", stored.study.definition);
    Append("</dl>\n");
    WriteCommands(stored);
  }

  void Term(const std::string& name, const std::string& value) {
    Append("<dt>" + EscapeXml(name) + "</dt><dd>" + EscapeXml(value) +
           "</dd>\n");
  }

  void WriteCommands(const StoredStudy& stored) {
    const auto found = stored.facts.find("command");
    if (found == stored.facts.end()) {
      Append("<p class=\"dim command\">The command was not recorded.</p>\n");
      return;
    }
    for (const std::string& command : found->second) {
      Append("<pre class=\"command\">" + EscapeXml(command) + "</pre>\n");
    }
  }

  void WriteFigure(const Figure& figure, const ReportStudy& study) {
    Append("<figure>\n");
    Append(Element("h3", figure.title));
    Append("<figcaption>" + EscapeXml(figure.caption) + "</figcaption>\n");
    if (!figure.plots.empty()) {
      Append(figure.plots.size() > 1 ? "<div class=\"plots\">\n"
                                     : "<div class=\"plots single\">\n");
      for (const Plot& plot : figure.plots) WriteCanvas(plot);
      Append("</div>\n");
    }
    WriteTable(figure);
    Append("<details><summary>Command</summary>\n");
    WriteCommands(study.stored);
    Append("</details>\n</figure>\n");
  }

  // Forests are as high as they have rows.
  void WriteCanvas(const Plot& plot) {
    const size_t height = plot.rows.empty() ? 320 : 90 + 24 * plot.rows.size();
    Append("<div class=\"plot\">" +
           (plot.title.empty() ? "" : Element("h4", plot.title)) +
           "<div class=\"canvas\" style=\"height:" + std::to_string(height) +
           "px\"><canvas data-plot=\"" + std::to_string(plot_++) +
           "\" role=\"img\" aria-label=\"" + EscapeXml(plot.title) +
           "\"></canvas></div><button class=\"save\" data-name=\"" +
           EscapeXml(plot.title.empty() ? "figure" : plot.title) +
           "\">Save as SVG</button></div>\n");
  }

  void WriteTable(const Figure& figure) {
    const Table& table = figure.table;
    if (table.rows.empty()) return;
    Append(figure.plots.empty() ? "<details open>" : "<details>");
    Append("<summary>Table, " + std::to_string(table.rows.size()) +
           " rows</summary>\n<div class=\"scroll\"><table>\n<tr>");
    for (const std::string& column : table.columns) {
      Append("<th>" + EscapeXml(column) + "</th>");
    }
    Append("</tr>\n");
    for (const auto& row : table.rows) {
      Append("<tr>");
      for (const TableCell& cell : row) {
        const std::string text = CellText(cell);
        Append(cell.number               ? "<td class=\"number\">"
               : text.size() > kLongText ? "<td class=\"text\">"
                                         : "<td>");
        Append(EscapeXml(text) + "</td>");
      }
      Append("</tr>\n");
    }
    Append("</table></div></details>\n");
  }

  const Report& report_;
  std::string text_;
  size_t plot_ = 0;
};

}  // namespace

std::string ReportHtml(const Report& report) { return Page(report).Write(); }

}  // namespace stint
