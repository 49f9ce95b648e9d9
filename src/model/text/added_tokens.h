#pragma once
// Tokens that are found in the text as they stand, before it is split into
// words: [MASK], </s> and what users have added.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stint {

struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool single_word = false;  // only where no word character touches it
  bool strip_left = false;   // takes the white space before it along
  bool strip_right = false;
  bool normalized = false;  // found in the normalized text
};

// A stretch of text: an added token, or text between them.
struct TextPart {
  static constexpr int32_t kText = -1;
  std::string_view text;
  int32_t id = kText;
};

// Finds the leftmost, then longest of a set of tokens.
class AddedTokens {
 public:
  explicit AddedTokens(std::vector<AddedToken> tokens);

  bool empty() const { return tokens_.empty(); }
  // Whether Split would find anything to try; cheap.
  bool MayOccurIn(std::string_view text) const {
    return NextStart(text, 0) < text.size();
  }
  // Cuts `text` at its added tokens; empty stretches are left out.
  std::vector<TextPart> Split(std::string_view text) const;

 private:
  // The next position at or after `pos` whose byte starts some token.
  size_t NextStart(std::string_view text, size_t pos) const;
  const AddedToken* MatchAt(std::string_view text, size_t pos) const;

  std::vector<AddedToken> tokens_;  // longest first, none empty
  std::array<bool, 256> starts_{};
  int single_start_ = -1;  // the byte all tokens start with, if there is one
};

}  // namespace stint
