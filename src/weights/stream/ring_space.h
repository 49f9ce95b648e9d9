#pragma once
// Space in a ring of memory, taken and given back in the same order.

#include <cstdint>
#include <optional>
#include <vector>

namespace stint {

class RingSpace {
 public:
  // With at most `pieces` taken at a time it allocates nothing later.
  explicit RingSpace(int64_t bytes, size_t pieces = 0) : bytes_(bytes) {
    pieces_.reserve(2 * pieces);
  }

  // Where `bytes` bytes in one piece begin; nothing while there is no room.
  std::optional<int64_t> Take(int64_t bytes);
  // Gives back the piece that was taken first, or the one taken last.
  void GiveBack();
  void GiveBackLast();
  bool empty() const { return first_ == pieces_.size(); }

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
  std::vector<Piece> pieces_;  // from first_ on; those before were given back
  size_t first_ = 0;
};

}  // namespace stint
