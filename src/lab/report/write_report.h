#pragma once
// A report as a page, as Markdown, CSV, JSON or for a terminal. Texts from
// databases are escaped for each.

#include <string>
#include <string_view>

#include "lab/report/report.h"

namespace stint {

// One HTML file that needs nothing else: scripts, styles and data are in it.
std::string ReportHtml(const Report& report);

// The tables under their titles.
std::string ReportMarkdown(const Report& report);

// One cell per line: study, machine, figure, row, column, value.
std::string ReportCsv(const Report& report);

// One object: points, done, failed, studies with tables by column.
std::string ReportJson(const Report& report);

// Plots and short tables in characters, lines of at most `columns`.
std::string ReportText(const Report& report, int columns);

// The same of one section alone, for the studies' own commands.
std::string SectionMarkdown(const ReportSection& section);
// Findings and whole tables, without plots.
std::string SectionText(const ReportSection& section, int columns);
std::string SectionCsv(const ReportSection& section);

// Plots of the report in the order of the page, as JSON that can stand inside
// of a script element.
std::string PlotsJson(const Report& report);

// What the page carries, put into the program when it is built.
std::string_view ChartScript();  // Chart.js, with its license
std::string_view SaveScript();   // before the page's own
std::string_view PageScript();
std::string_view PageStyle();

}  // namespace stint
