#pragma once
// How commands speak: results to standard output, everything else to stderr.

#include <string>

#include "core/base/quantity.h"
#include "lab/record/exit_codes.h"
#include "lab/record/json_fields.h"
#include "stint/status.h"

namespace stint {
struct ReportSection;
struct Table;
}  // namespace stint

namespace stint::cli {

// Prints "stint: message" to stderr and returns the exit code for the status.
int Fail(const Status& status);

// One JSON object per line; bytes that are not UTF-8 are replaced.
void PrintJson(const Json& json);

// To standard output as printf and fputs do, and to stderr, with what a
// terminal would obey made visible. Commands print by nothing else: names and
// reasons come from files, models and other processes.
void Print(const char* format, ...) __attribute__((format(printf, 1, 2)));
void PrintText(const std::string& text);
void PrintError(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Prints what a command found as `format` asks: the JSON, or the section as
// tables for people, CSV or Markdown.
void PrintResult(const std::string& format, const Json& json,
                 const ReportSection& section);
// A result of one table, with a sentence about it where that is not empty.
void PrintResult(const std::string& format, const Json& json, Table table,
                 const std::string& sentence = "");

}  // namespace stint::cli
