#pragma once
// A grid of characters with 2 x 4 dots in each, and letters over the dots.

#include <cstdint>
#include <string>
#include <vector>

namespace stint {

class BrailleCanvas {
 public:
  BrailleCanvas(int columns, int rows);

  int dots_wide() const { return columns_ * 2; }
  int dots_high() const { return rows_ * 4; }

  // Dots count from the left and the top; those outside are left out.
  void Dot(int x, int y);
  void Line(int from_x, int from_y, int to_x, int to_y);
  // A letter over the character that has the dot.
  void Letter(int x, int y, char letter);

  std::string Row(int row) const;

 private:
  int columns_;
  int rows_;
  std::vector<uint8_t> dots_;  // by character, as Unicode numbers them
  std::vector<char> letters_;  // 0: none
};

}  // namespace stint
