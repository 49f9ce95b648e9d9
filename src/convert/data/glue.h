#pragma once
// Text data sets of the GLUE benchmark, from their original tab-separated
// files.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "convert/data/line_reader.h"
#include "stint/status.h"

namespace stint {

enum class GlueTask { kSst2, kRte, kMrpc, kCola, kStsb, kQnli };

std::string_view GlueTaskName(GlueTask task);  // "sst2", "rte", ...
std::optional<GlueTask> ParseGlueTask(std::string_view name);

// One row. RTE and QNLI label entailment 0 and not_entailment 1; the other
// classification tasks have 0 and 1 in the file.
struct TextExample {
  std::string text;
  std::string pair;  // empty in sst2 and cola
  int label = 0;     // of a classification task
  double score = 0;  // of stsb, 0 to 5
};

// Rows of a labeled file (train or dev), one after the other: one row and a
// small buffer are in memory. No quoting; a byte-order mark is skipped; the
// header is expected as published (CoLA has none).
class GlueReader {
 public:
  // Of a .tsv, .tsv.gz or .tsv.xz file, which errors name.
  static Result<GlueReader> Open(GlueTask task, const std::string& path);
  GlueReader(GlueTask task, LineReader lines)
      : GlueReader(task, std::move(lines), "") {}

  // The next row, or nothing after the last. kDamaged, naming the line,
  // expected and found, when the row that comes next (or, before the first, the
  // header) has other columns or labels, or the file has no rows; the unlabeled
  // test files are refused by their header. Damage of a later row, or of
  // compressed data, is found when the reader comes there.
  Result<std::optional<TextExample>> Next();

 private:
  GlueReader(GlueTask task, LineReader lines, std::string path);
  Result<std::optional<TextExample>> ReadRow();

  GlueTask task_;
  std::string path_;  // empty: not of a file
  LineReader lines_;
  int64_t rows_ = 0;
};

// Reads a file through, or to its first `max_rows` (0: all) rows: how many
// there are, or the first error.
Result<int64_t> CountGlueRows(GlueTask task, const std::string& path,
                              int64_t max_rows);

}  // namespace stint
