#include "model/text/byte_level_split.h"

#include "model/text/unicode.h"

namespace stint {
namespace {

enum class Kind { kBlank, kLetter, kNumber, kSymbol };

Kind KindOf(char32_t c) {
  if (IsLetter(c)) return Kind::kLetter;
  if (IsWhitespace(c)) return Kind::kBlank;
  return IsNumber(c) ? Kind::kNumber : Kind::kSymbol;
}

// Length of the English contraction at `pos`, or 0.
size_t ContractionLength(std::string_view text, size_t pos) {
  constexpr std::string_view kContractions[] = {"'s", "'t",  "'re", "'ve",
                                                "'m", "'ll", "'d"};
  for (const std::string_view contraction : kContractions) {
    if (text.substr(pos).starts_with(contraction)) return contraction.size();
  }
  return 0;
}

size_t EndOfKind(std::string_view text, size_t pos, Kind kind) {
  while (pos < text.size()) {
    const CodePoint c = DecodeUtf8(text, pos);
    if (KindOf(c.value) != kind) break;
    pos += c.length;
  }
  return pos;
}

// Blanks before a word leave the last of them to it.
size_t EndOfBlanks(std::string_view text, size_t pos) {
  const size_t end = EndOfKind(text, pos, Kind::kBlank);
  if (end == text.size()) return end;
  const size_t last = PreviousCodePoint(text, end);
  return last > pos ? last : end;
}

}  // namespace

size_t EndOfByteLevelWord(std::string_view text, size_t pos) {
  if (text[pos] == '\'') {
    if (const size_t length = ContractionLength(text, pos); length > 0) {
      return pos + length;
    }
  }
  const size_t start = text[pos] == ' ' ? pos + 1 : pos;
  if (start < text.size()) {
    const Kind kind = KindOf(DecodeUtf8(text, start).value);
    if (kind != Kind::kBlank) return EndOfKind(text, start, kind);
  }
  return EndOfBlanks(text, pos);
}

}  // namespace stint
