#pragma once
// Text data sets of the GLUE benchmark, from their original tab-separated
// files.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// Rows of a labeled file (train or dev). No quoting; a byte-order mark is
// skipped; the header is expected as published (CoLA has none). Fails with
// kDamaged, naming the line, expected and found, on other columns or labels;
// the unlabeled test files are refused by their header.
Result<std::vector<TextExample>> ParseGlue(GlueTask task,
                                           std::string_view content);

// The same from a .tsv or .tsv.gz file, which errors name.
Result<std::vector<TextExample>> ReadGlue(GlueTask task,
                                          const std::string& path);

}  // namespace stint
