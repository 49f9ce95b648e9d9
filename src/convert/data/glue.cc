#include "convert/data/glue.h"

#include <charconv>

#include "convert/data/compressed_file.h"

namespace stint {
namespace {

enum class LabelKind { kDigit, kEntailment, kScore };

constexpr int kNoColumn = -1;

// Where a task's file has what; columns count from 0.
struct TaskRow {
  GlueTask task;
  std::string_view name;
  int columns;
  int text;
  int pair;
  int label;
  LabelKind kind;
  std::string_view label_header;  // header of the label column; empty = none
};

constexpr TaskRow kTasks[] = {
    {GlueTask::kSst2, "sst2", 2, 0, kNoColumn, 1, LabelKind::kDigit, "label"},
    {GlueTask::kRte, "rte", 4, 1, 2, 3, LabelKind::kEntailment, "label"},
    {GlueTask::kMrpc, "mrpc", 5, 3, 4, 0, LabelKind::kDigit, "Quality"},
    {GlueTask::kCola, "cola", 4, 3, kNoColumn, 1, LabelKind::kDigit, ""},
    {GlueTask::kStsb, "stsb", 10, 7, 8, 9, LabelKind::kScore, "score"},
    {GlueTask::kQnli, "qnli", 4, 1, 2, 3, LabelKind::kEntailment, "label"},
};

const TaskRow& Row(GlueTask task) { return kTasks[static_cast<int>(task)]; }

constexpr bool TableFollowsEnum() {
  for (size_t i = 0; i < std::size(kTasks); ++i) {
    if (kTasks[i].task != static_cast<GlueTask>(i)) return false;
  }
  return true;
}
static_assert(TableFollowsEnum());

std::vector<std::string_view> SplitTabs(std::string_view line) {
  std::vector<std::string_view> cells;
  size_t begin = 0;
  for (size_t tab = line.find('\t'); tab != std::string_view::npos;
       tab = line.find('\t', begin)) {
    cells.push_back(line.substr(begin, tab - begin));
    begin = tab + 1;
  }
  cells.push_back(line.substr(begin));
  return cells;
}

// Takes the next line, without its end, off the front of `content`.
std::string_view TakeLine(std::string_view* content) {
  const size_t end = content->find('\n');
  std::string_view line = content->substr(0, end);
  content->remove_prefix(end == std::string_view::npos ? content->size()
                                                       : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Status DamagedAt(int line, const std::string& expected,
                 std::string_view found) {
  return Damaged("line " + std::to_string(line) + ": expected " + expected +
                 ", found '" + std::string(found.substr(0, 80)) + "'");
}

Status ParseLabel(LabelKind kind, int line, std::string_view cell,
                  TextExample* example) {
  switch (kind) {
    case LabelKind::kDigit:
      if (cell != "0" && cell != "1") {
        return DamagedAt(line, "label 0 or 1", cell);
      }
      example->label = cell[0] - '0';
      return OkStatus();
    case LabelKind::kEntailment:
      if (cell != "entailment" && cell != "not_entailment") {
        return DamagedAt(line, "entailment or not_entailment", cell);
      }
      example->label = cell == "entailment" ? 0 : 1;
      return OkStatus();
    case LabelKind::kScore:
      const char* end = cell.data() + cell.size();
      const auto [stop, error] =
          std::from_chars(cell.data(), end, example->score);
      if (error != std::errc() || stop != end ||
          !(example->score >= 0 && example->score <= 5)) {
        return DamagedAt(line, "score from 0 to 5", cell);
      }
      return OkStatus();
  }
  return InternalError("label kind");
}

Status CheckHeader(const TaskRow& row, std::string_view line) {
  const std::vector<std::string_view> cells = SplitTabs(line);
  if (static_cast<int>(cells.size()) == row.columns &&
      cells[row.label] == row.label_header) {
    return OkStatus();
  }
  return DamagedAt(1,
                   "header of a labeled " + std::string(row.name) +
                       " file: " + std::to_string(row.columns) +
                       " columns with '" + std::string(row.label_header) +
                       "' in column " + std::to_string(row.label + 1),
                   line);
}

Result<TextExample> ParseRow(const TaskRow& row, int line,
                             std::string_view text) {
  const std::vector<std::string_view> cells = SplitTabs(text);
  if (static_cast<int>(cells.size()) != row.columns) {
    return Damaged("line " + std::to_string(line) + ": expected " +
                   std::to_string(row.columns) + " columns, found " +
                   std::to_string(cells.size()));
  }
  TextExample example;
  STINT_RETURN_IF_ERROR(ParseLabel(row.kind, line, cells[row.label], &example));
  example.text = cells[row.text];
  if (row.pair != kNoColumn) example.pair = cells[row.pair];
  return example;
}

}  // namespace

std::string_view GlueTaskName(GlueTask task) { return Row(task).name; }

std::optional<GlueTask> ParseGlueTask(std::string_view name) {
  for (const TaskRow& row : kTasks) {
    if (row.name == name) return row.task;
  }
  return std::nullopt;
}

Result<std::vector<TextExample>> ParseGlue(GlueTask task,
                                           std::string_view content) {
  const TaskRow& row = Row(task);
  if (content.starts_with("\xef\xbb\xbf")) content.remove_prefix(3);
  int line = 0;
  if (!row.label_header.empty()) {
    ++line;
    STINT_RETURN_IF_ERROR(CheckHeader(row, TakeLine(&content)));
  }
  std::vector<TextExample> examples;
  while (!content.empty()) {
    ++line;
    STINT_ASSIGN_OR_RETURN(TextExample example,
                           ParseRow(row, line, TakeLine(&content)));
    examples.push_back(std::move(example));
  }
  if (examples.empty()) return Damaged("no rows");
  return examples;
}

Result<std::vector<TextExample>> ReadGlue(GlueTask task,
                                          const std::string& path) {
  STINT_ASSIGN_OR_RETURN(const std::string content, ReadMaybeCompressed(path));
  Result<std::vector<TextExample>> examples = ParseGlue(task, content);
  if (!examples.ok()) return examples.status().Annotate(path);
  return examples;
}

}  // namespace stint
