#include "lab/plot/terminal_text.h"

#include <algorithm>
#include <cmath>

#include "core/base/printable.h"
#include "core/base/quantity.h"
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

namespace {

// Columns of one table as a terminal shows them.
struct ShownColumn {
  size_t at = 0;
  std::string name;
  size_t width = 0;
};

constexpr char kBytes[] = "_bytes";

std::string ShownText(const TableCell& cell, const std::string& column) {
  const bool bytes = column.ends_with(kBytes) && cell.number;
  if (!bytes || !std::isfinite(*cell.number)) return Printable(CellText(cell));
  return FormatBytes(static_cast<int64_t>(*cell.number));
}

// Those asked for that have something in them.
std::vector<ShownColumn> ShownColumns(const Table& table) {
  std::vector<ShownColumn> shown;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c];
    const auto& brief = table.brief;
    if (!brief.empty() &&
        std::find(brief.begin(), brief.end(), name) == brief.end()) {
      continue;
    }
    ShownColumn column{c, name, 0};
    for (const auto& row : table.rows) {
      const std::string text = ShownText(row[c], name);
      if (text != "-") column.width = std::max(column.width, WidthOf(text));
    }
    if (column.width == 0 && !table.rows.empty()) continue;
    if (name.ends_with(kBytes)) column.name.resize(name.size() - 6);
    column.width = std::max(column.width, WidthOf(column.name));
    shown.push_back(std::move(column));
  }
  return shown;
}

}  // namespace

std::string TerminalTable(const Table& table, int columns) {
  const auto most = static_cast<size_t>(std::max(columns, kLeastColumns));
  const std::vector<ShownColumn> shown = ShownColumns(table);
  std::string text, line;
  const auto finish = [&] {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    text += Cut(line, most) + "\n";
    line.clear();
  };
  for (const ShownColumn& column : shown) {
    line += "  " + Padded(column.name, column.width);
  }
  finish();
  for (const auto& row : table.rows) {
    for (const ShownColumn& column : shown) {
      const TableCell& cell = row[column.at];
      line += "  " + Padded(ShownText(cell, table.columns[column.at]),
                            column.width, cell.number.has_value());
    }
    finish();
  }
  return text;
}

}  // namespace stint
