#pragma once
// Space in a ring of memory, taken and given back in the same order.

#include <cstdint>
#include <deque>
#include <optional>

namespace stint {

class RingSpace {
 public:
  explicit RingSpace(int64_t bytes) : bytes_(bytes) {}

  // Where `bytes` bytes in one piece begin; nothing while there is no room.
  std::optional<int64_t> Take(int64_t bytes);
  // Gives back the piece that was taken first, or the one taken last.
  void GiveBack();
  void GiveBackLast();
  bool empty() const { return pieces_.empty(); }

  // A ring of this size always has room for `together` bytes in pieces of at
  // most `largest`, when nothing else is taken: what is left at its end, too
  // little for the next piece, is at most a block short of that piece.
  static int64_t BytesFor(int64_t together, int64_t largest) {
    return together + largest;
  }

 private:
  struct Piece {
    int64_t begin;
    int64_t end;
  };
  int64_t bytes_;
  std::deque<Piece> pieces_;
};

}  // namespace stint
