#include "lab/plot/braille_canvas.h"

#include <algorithm>
#include <cstdlib>

namespace stint {

BrailleCanvas::BrailleCanvas(int columns, int rows)
    : columns_(columns),
      rows_(rows),
      dots_(static_cast<size_t>(columns) * static_cast<size_t>(rows)),
      letters_(dots_.size()) {}

void BrailleCanvas::Dot(int x, int y) {
  if (x < 0 || y < 0 || x >= dots_wide() || y >= dots_high()) return;
  // Bits of the dots in U+2800 by column and row.
  constexpr uint8_t kBits[2][4] = {{0x01, 0x02, 0x04, 0x40},
                                   {0x08, 0x10, 0x20, 0x80}};
  dots_[static_cast<size_t>(y / 4 * columns_ + x / 2)] |= kBits[x % 2][y % 4];
}

void BrailleCanvas::Line(int from_x, int from_y, int to_x, int to_y) {
  const int steps =
      std::max({std::abs(to_x - from_x), std::abs(to_y - from_y), 1});
  for (int i = 0; i <= steps; ++i) {
    Dot(from_x + (to_x - from_x) * i / steps,
        from_y + (to_y - from_y) * i / steps);
  }
}

void BrailleCanvas::Letter(int x, int y, char letter) {
  if (x < 0 || y < 0 || x >= dots_wide() || y >= dots_high()) return;
  letters_[static_cast<size_t>(y / 4 * columns_ + x / 2)] = letter;
}

std::string BrailleCanvas::Row(int row) const {
  std::string text;
  for (int column = 0; column < columns_; ++column) {
    const auto at = static_cast<size_t>(row * columns_ + column);
    if (letters_[at] != 0) {
      text += letters_[at];
    } else if (dots_[at] == 0) {
      text += ' ';
    } else {
      // U+2800 + bits in UTF-8.
      text += '\xe2';
      text += static_cast<char>(0xa0 | (dots_[at] >> 6));
      text += static_cast<char>(0x80 | (dots_[at] & 0x3f));
    }
  }
  return text;
}

}  // namespace stint
