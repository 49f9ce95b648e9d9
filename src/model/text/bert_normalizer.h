#pragma once
// The text normalization of BERT: control characters out, white space to
// blanks, blanks around ideographs, accents off, lower case. Gives exactly what
// Hugging Face's BertNormalizer gives.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stint {

struct BertNormalizerOptions {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;
};

class BertNormalizer {
 public:
  enum class Kind : uint8_t { kWord, kBlank, kPunctuation, kRemoved, kForeign };

  // What becomes of a byte that starts a character; kForeign (0x80 and up)
  // stands for "call NormalizeRun".
  struct Byte {
    Kind kind = Kind::kForeign;
    char normalized = 0;
  };

  explicit BertNormalizer(const BertNormalizerOptions& options);

  const Byte& byte(char c) const { return bytes_[static_cast<uint8_t>(c)]; }

  // Replaces `out` by the normalized form of the characters from `pos` up to
  // the next ASCII character that stays, and returns where that one is.
  // text[pos] must be kForeign.
  size_t NormalizeRun(std::string_view text, size_t pos,
                      std::vector<char32_t>* out) const;

  std::string Normalize(std::string_view text) const;

 private:
  void NormalizeChar(char32_t c, std::vector<char32_t>* out) const;

  BertNormalizerOptions options_;
  std::array<Byte, 256> bytes_;
};

}  // namespace stint
