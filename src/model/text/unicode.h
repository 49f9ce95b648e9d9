#pragma once
// Code points: UTF-8 in and out, and the character classes that Hugging Face's
// tokenizers distinguish, in the Unicode versions that their tables have.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stint {

struct CodePoint {
  char32_t value;  // U+FFFD for a byte that is not part of valid UTF-8
  int length;      // bytes it takes in the text, at least 1
};

// `pos` must be below text.size().
CodePoint DecodeUtf8(std::string_view text, size_t pos);
void AppendUtf8(char32_t c, std::string* out);
// Where the code point that ends before `pos` starts; `pos` must be above 0.
size_t PreviousCodePoint(std::string_view text, size_t pos);

bool IsWhitespace(char32_t c);  // the White_Space property
bool IsLetter(char32_t c);      // \p{L} of the byte-level split
bool IsNumber(char32_t c);      // \p{N} of the byte-level split
bool IsWordChar(char32_t c);    // \w of added tokens that are single words

// The classes of the BERT normalizer, whose categories are those of Unicode 8.
bool IsBertControl(char32_t c);  // Cc, Cf and Co but tab, newline, return
bool IsBertPunctuation(char32_t c);
bool IsBertMark(char32_t c);  // Mn: what stripping accents removes
bool IsBertIdeograph(char32_t c);
// Whether canonical decomposition applies to it there.
bool BertDecomposes(char32_t c);

}  // namespace stint
