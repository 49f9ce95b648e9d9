#include "convert/data/text_lines.h"

#include "convert/data/compressed_file.h"

namespace stint {
namespace {

Result<TextExample> ParseLine(std::string_view line, int64_t number) {
  const size_t tab = line.find('\t');
  TextExample example;
  example.text = line.substr(0, tab);
  if (tab == std::string_view::npos) return example;
  example.pair = line.substr(tab + 1);
  if (example.pair.find('\t') != std::string::npos) {
    return Damaged("line " + std::to_string(number) +
                   " has several tabs; expected a text, or two with a tab "
                   "between them (a table of a task needs --task)");
  }
  return example;
}

Result<std::vector<TextExample>> Parse(LineReader lines, int64_t max_rows) {
  std::vector<TextExample> examples;
  while (max_rows == 0 || static_cast<int64_t>(examples.size()) < max_rows) {
    STINT_ASSIGN_OR_RETURN(const auto line, lines.Next());
    if (!line.has_value()) break;
    if (line->find_first_not_of(" \t") == std::string_view::npos) continue;
    STINT_ASSIGN_OR_RETURN(TextExample example,
                           ParseLine(*line, lines.number()));
    examples.push_back(std::move(example));
  }
  if (examples.empty()) return Damaged("no lines of text");
  return examples;
}

}  // namespace

Result<std::vector<TextExample>> ParseTextLines(std::string_view content,
                                                int64_t max_rows) {
  return Parse(LineReader(std::make_unique<MemoryStream>(content)), max_rows);
}

Result<std::vector<TextExample>> ReadTextLines(const std::string& path,
                                               int64_t max_rows) {
  STINT_ASSIGN_OR_RETURN(const std::string content, ReadMaybeCompressed(path));
  auto examples = ParseTextLines(content, max_rows);
  if (!examples.ok()) return examples.status().Annotate(path);
  return examples;
}

}  // namespace stint
