// Reports without pictures that scale: Markdown, CSV, terminals.

#include <cmath>
#include <cstdio>

#include "lab/plot/terminal_plot.h"
#include "lab/plot/terminal_text.h"
#include "lab/report/sections.h"
#include "lab/report/write_report.h"

namespace stint {
namespace {

// More rows than fit on a screen are in the other formats.
constexpr size_t kMostTerminalRows = 24;

// Texts come from files: no control character may reach a terminal.
std::string Printable(const std::string& text) {
  return Cut(text, text.size());
}

// A text that Markdown shows as it is, on one line.
std::string Plain(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    switch (c) {
      case '\n':
      case '\r':
        plain += ' ';
        break;
      case '<':
        plain += "&lt;";
        break;
      case '&':
        plain += "&amp;";
        break;
      case '|':
      case '*':
      case '_':
      case '`':
      case '[':
      case ']':
      case '\\':
        plain += '\\';
        plain += c;
        break;
      default:
        plain += c;
    }
  }
  return plain;
}

// Quoted where a comma, quote or line break would end the cell.
std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

// All digits of a number, nothing for what is not known.
std::string ExactText(const TableCell& cell) {
  if (!cell.number) return cell.text;
  if (!std::isfinite(*cell.number)) return "";
  char text[48];
  std::snprintf(text, sizeof(text), "%.10g", *cell.number);
  return text;
}

std::string MarkdownTable(const Table& table) {
  std::string text = "|", rule = "|";
  for (const std::string& column : table.columns) {
    text += " " + Plain(column) + " |";
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const TableCell& cell : row) {
      text += " " + Plain(CellText(cell)) + " |";
    }
    text += "\n";
  }
  return text + "\n";
}

std::string MarkdownFigure(const Figure& figure) {
  if (figure.table.rows.empty()) return "";
  std::string text;
  if (!figure.title.empty()) text += "### " + Plain(figure.title) + "\n\n";
  if (!figure.caption.empty()) text += Plain(figure.caption) + "\n\n";
  return text + MarkdownTable(figure.table);
}

// Lines of `before` and the cells of a figure.
std::string CsvFigure(const std::string& before, const Figure& figure) {
  std::string text;
  for (size_t r = 0; r < figure.table.rows.size(); ++r) {
    const auto& row = figure.table.rows[r];
    for (size_t c = 0; c < row.size(); ++c) {
      text += before + CsvCell(figure.title) + "," + std::to_string(r + 1) +
              "," + CsvCell(figure.table.columns[c]) + "," +
              CsvCell(ExactText(row[c])) + "\n";
    }
  }
  return text;
}

std::string TextFigure(const Figure& figure, int columns) {
  std::string text = figure.title + "\n";
  for (const Plot& plot : figure.plots) text += TerminalPlot(plot, columns);
  if (figure.plots.empty()) {
    Table head = figure.table;
    if (head.rows.size() > kMostTerminalRows) {
      head.rows.erase(head.rows.begin() + kMostTerminalRows, head.rows.end());
    }
    text += TerminalTable(head, columns);
    if (head.rows.size() < figure.table.rows.size()) {
      text += "  and " +
              std::to_string(figure.table.rows.size() - head.rows.size()) +
              " rows more, with --format md\n";
    }
  }
  return text + "\n";
}

std::string Commands(const StoredStudy& stored, const std::string& before) {
  std::string text;
  const auto found = stored.facts.find("command");
  if (found == stored.facts.end()) return text;
  for (const std::string& command : found->second) {
    text += before + Printable(command) + "\n";
  }
  return text;
}

}  // namespace

std::string SectionText(const ReportSection& section, int columns) {
  std::string text;
  if (!section.title.empty()) text += Printable(section.title) + "\n";
  if (!section.noise.empty()) {
    text += "  " + NoiseSentence(section.noise) + "\n";
  }
  for (const std::string& line : section.findings) {
    text += "  * " + Printable(line) + "\n";
  }
  for (const Figure& figure : section.figures) {
    if (figure.table.rows.empty()) continue;
    if (!text.empty()) text += "\n";
    if (!figure.title.empty()) text += Printable(figure.title) + "\n";
    text += TerminalTable(figure.table, columns);
  }
  return text;
}

std::string SectionMarkdown(const ReportSection& section) {
  std::string text;
  if (!section.title.empty()) text = "## " + Plain(section.title) + "\n\n";
  for (const std::string& line : section.method) text += Plain(line) + "\n\n";
  if (!section.noise.empty()) {
    text += "**" + Plain(NoiseSentence(section.noise)) + "**\n\n";
  }
  for (const std::string& line : section.findings) {
    text += "* " + Plain(line) + "\n";
  }
  if (!section.findings.empty()) text += "\n";
  for (const Figure& figure : section.figures) text += MarkdownFigure(figure);
  return text;
}

std::string SectionCsv(const ReportSection& section) {
  std::string text = "figure,row,column,value\n";
  for (const Figure& figure : section.figures) text += CsvFigure("", figure);
  return text;
}

std::string ReportMarkdown(const Report& report) {
  std::string text = "# stint report\n\n";
  for (const ReportStudy& study : report.studies) {
    const StoredStudy& stored = study.stored;
    text += SectionMarkdown(study.section);
    text += "Machine: " + Plain(stored.machine) + ". " +
            std::to_string(stored.points) + " points, " +
            std::to_string(stored.done) + " done, " +
            std::to_string(stored.failed) + " failed, file " +
            Plain(study.file) + ".\n\n";
    text += Commands(stored, "    ");
    text += "\n";
    for (const Figure& figure : study.conduct) text += MarkdownFigure(figure);
  }
  return text;
}

std::string ReportCsv(const Report& report) {
  std::string text = "study,machine,figure,row,column,value\n";
  for (const ReportStudy& study : report.studies) {
    const std::string before = CsvCell(study.stored.study.name) + "," +
                               CsvCell(study.stored.machine) + ",";
    for (const auto* figures : {&study.section.figures, &study.conduct}) {
      for (const Figure& figure : *figures) text += CsvFigure(before, figure);
    }
  }
  return text;
}

std::string ReportText(const Report& report, int columns) {
  std::string text;
  for (const ReportStudy& study : report.studies) {
    const StoredStudy& stored = study.stored;
    text += Printable(study.section.title + " (" + study.file + ", " +
                      stored.machine + ")") +
            "\n" + Commands(stored, "  $ ");
    if (!study.section.noise.empty()) {
      text += "  " + NoiseSentence(study.section.noise) + "\n";
    }
    for (const std::string& line : study.section.findings) {
      text += "  * " + Printable(line) + "\n";
    }
    text += "\n";
    for (const auto* figures : {&study.section.figures, &study.conduct}) {
      for (const Figure& figure : *figures) text += TextFigure(figure, columns);
    }
  }
  return text;
}

}  // namespace stint
