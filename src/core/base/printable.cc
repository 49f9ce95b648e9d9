#include "core/base/printable.h"

#include <cstdint>
#include <cstdio>

namespace stint {
namespace {

uint8_t At(std::string_view text, size_t i) {
  return static_cast<uint8_t>(text[i]);
}

// Bytes of the character at the begin; 0: it is not UTF-8. Neither are longer
// forms of shorter ones, surrogates and what is beyond U+10FFFF.
size_t Utf8Length(std::string_view text) {
  const uint8_t lead = At(text, 0);
  const size_t bytes = lead < 0x80   ? 1
                       : lead < 0xc2 ? 0
                       : lead < 0xe0 ? 2
                       : lead < 0xf0 ? 3
                       : lead < 0xf5 ? 4
                                     : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  for (size_t i = 1; i < bytes; ++i) {
    if ((At(text, i) & 0xc0) != 0x80) return 0;
  }
  if (bytes < 3) return bytes;
  const uint8_t second = At(text, 1);
  const bool bad =
      (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
      (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return bad ? 0 : bytes;
}

// U+0080 to U+009F, which some terminals obey.
bool IsLongControl(std::string_view character) {
  return character.size() == 2 && At(character, 0) == 0xc2 &&
         At(character, 1) < 0xa0;
}

void AppendNumber(const char* format, uint8_t number, std::string* to) {
  char text[8];
  std::snprintf(text, sizeof(text), format, number);
  to->append(text);
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const size_t bytes = Utf8Length(text);
    const uint8_t first = At(text, 0);
    const bool control =
        first == 0x7f || (first < 0x20 && first != '\n' && first != '\t');
    if (bytes == 0 || control) {
      AppendNumber("\\x%02x", first, &shown);
    } else if (IsLongControl(text.substr(0, bytes))) {
      AppendNumber("\\u00%02x", At(text, 1), &shown);
    } else {
      shown.append(text.substr(0, bytes));
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return shown;
}

std::string PrintableJson(std::string_view json) {
  std::string shown;
  shown.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    if (json[i] == 0x7f) {
      shown.append("\\u007f");
    } else if (IsLongControl(json.substr(i, 2))) {
      AppendNumber("\\u00%02x", At(json, ++i), &shown);
    } else {
      shown.push_back(json[i]);
    }
  }
  return shown;
}

}  // namespace stint
