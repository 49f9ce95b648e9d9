#include "lab/plot/terminal_text.h"

#include <algorithm>

#include "lab/plot/terminal_plot.h"

namespace stint {

size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & '\xc0') != '\x80'; }));
}

std::string Padded(const std::string& text, size_t width, bool right) {
  const size_t has = WidthOf(text);
  const std::string spaces(width > has ? width - has : 0, ' ');
  return right ? spaces + text : text + spaces;
}

std::string Cut(const std::string& text, size_t width) {
  std::string cut;
  size_t count = 0;
  for (const char c : text) {
    if ((c & '\xc0') != '\x80' && ++count > width) break;
    const auto byte = static_cast<unsigned char>(c);
    cut += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return cut;
}

std::string TerminalTable(const Table& table, int columns) {
  std::vector<size_t> widths;
  for (const std::string& name : table.columns) widths.push_back(WidthOf(name));
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], WidthOf(CellText(row[c])));
    }
  }
  const auto most = static_cast<size_t>(std::max(columns, kLeastColumns));
  std::string text, line;
  const auto finish = [&] {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += Cut(line, most) + "\n";
    line.clear();
  };
  for (size_t c = 0; c < widths.size(); ++c) {
    line += "  " + Padded(table.columns[c], widths[c]);
  }
  finish();
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      line +=
          "  " + Padded(CellText(row[c]), widths[c], row[c].number.has_value());
    }
    finish();
  }
  return text;
}

}  // namespace stint
