#include "convert/data/glue.h"

#include <charconv>
#include <string_view>
#include <vector>

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

Status DamagedAt(int64_t line, const std::string& expected,
                 std::string_view found) {
  return Damaged("line " + std::to_string(line) + ": expected " + expected +
                 ", found '" + std::string(found.substr(0, 80)) + "'");
}

Status ParseLabel(LabelKind kind, int64_t line, std::string_view cell,
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

Result<TextExample> ParseRow(const TaskRow& row, int64_t line,
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

GlueReader::GlueReader(GlueTask task, LineReader lines, std::string path)
    : task_(task), path_(std::move(path)), lines_(std::move(lines)) {}

Result<GlueReader> GlueReader::Open(GlueTask task, const std::string& path) {
  STINT_ASSIGN_OR_RETURN(auto content, OpenMaybeCompressed(path));
  return GlueReader(task, LineReader(std::move(content)), path);
}

Result<std::optional<TextExample>> GlueReader::Next() {
  auto row = ReadRow();
  if (row.ok() || path_.empty()) return row;
  return row.status().Annotate(path_);
}

Result<std::optional<TextExample>> GlueReader::ReadRow() {
  const TaskRow& row = Row(task_);
  if (lines_.number() == 0 && !row.label_header.empty()) {
    STINT_ASSIGN_OR_RETURN(const auto header, lines_.Next());
    STINT_RETURN_IF_ERROR(CheckHeader(row, header.value_or("")));
  }
  STINT_ASSIGN_OR_RETURN(const auto line, lines_.Next());
  if (!line.has_value()) {
    if (rows_ == 0) return Damaged("no rows");
    return std::optional<TextExample>();
  }
  ++rows_;
  STINT_ASSIGN_OR_RETURN(TextExample example,
                         ParseRow(row, lines_.number(), *line));
  return std::optional(std::move(example));
}

Result<int64_t> CountGlueRows(GlueTask task, const std::string& path,
                              int64_t max_rows) {
  STINT_ASSIGN_OR_RETURN(GlueReader reader, GlueReader::Open(task, path));
  int64_t rows = 0;
  while (max_rows == 0 || rows < max_rows) {
    STINT_ASSIGN_OR_RETURN(const auto row, reader.Next());
    if (!row.has_value()) break;
    ++rows;
  }
  return rows;
}

}  // namespace stint
