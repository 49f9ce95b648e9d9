#include "cli/terminal/print.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "core/base/printable.h"
#include "core/platform/terminal.h"
#include "lab/report/write_report.h"

namespace stint::cli {

int Fail(const Status& status) {
  // Messages quote names from files and command lines.
  PrintError("stint: %s\n", status.message().c_str());
  return ExitCodeOf(status);
}

void PrintJson(const Json& json) {
  const std::string text =
      json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::printf("%s\n", PrintableJson(text).c_str());
}

namespace {

std::string Format(const char* format, va_list values) {
  va_list again;
  va_copy(again, values);
  const int size = std::vsnprintf(nullptr, 0, format, values);
  std::string text(static_cast<size_t>(std::max(0, size)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

}  // namespace

void Print(const char* format, ...) {
  va_list values;
  va_start(values, format);
  PrintText(Format(format, values));
  va_end(values);
}

void PrintError(const char* format, ...) {
  va_list values;
  va_start(values, format);
  std::fputs(Printable(Format(format, values)).c_str(), stderr);
  va_end(values);
}

void PrintText(const std::string& text) {
  std::fputs(Printable(text).c_str(), stdout);
}

void PrintResult(const std::string& format, const Json& json,
                 const ReportSection& section) {
  // A file or a pipe has room for whole lines.
  constexpr int kWide = 1000;
  if (format == "json") {
    PrintJson(json);
  } else if (format == "csv") {
    PrintText(SectionCsv(section));
  } else if (format == "md") {
    PrintText(SectionMarkdown(section));
  } else {
    const int columns = StdoutColumns();
    PrintText(SectionText(section, columns > 0 ? columns : kWide));
  }
}

void PrintResult(const std::string& format, const Json& json, Table table,
                 const std::string& sentence) {
  ReportSection section;
  section.figures.push_back({"", sentence, {}, std::move(table)});
  PrintResult(format, json, section);
}

}  // namespace stint::cli
