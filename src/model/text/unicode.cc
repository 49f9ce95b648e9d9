#include "model/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

namespace stint {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Marks, punctuation and format characters younger than Unicode 8, which the
// BERT normalizer takes for ordinary characters.
constexpr Range kYoungerThanUnicode8[] = {
    {0x61d, 0x61d},     {0x7fd, 0x7fd},     {0x890, 0x891},
    {0x898, 0x89f},     {0x8ca, 0x8e2},     {0x9fd, 0x9fe},
    {0xa76, 0xa76},     {0xafa, 0xaff},     {0xb55, 0xb55},
    {0xc04, 0xc04},     {0xc3c, 0xc3c},     {0xc77, 0xc77},
    {0xc84, 0xc84},     {0xd00, 0xd00},     {0xd3b, 0xd3c},
    {0xd81, 0xd81},     {0xeba, 0xeba},     {0xece, 0xece},
    {0x180f, 0x180f},   {0x1885, 0x1886},   {0x1abf, 0x1ace},
    {0x1b7d, 0x1b7e},   {0x1df6, 0x1dfb},   {0x2e43, 0x2e4f},
    {0x2e52, 0x2e5d},   {0xa82c, 0xa82c},   {0xa8c5, 0xa8c5},
    {0xa8ff, 0xa8ff},   {0xa9bd, 0xa9bd},   {0x10d24, 0x10d27},
    {0x10eab, 0x10ead}, {0x10efd, 0x10eff}, {0x10f46, 0x10f50},
    {0x10f55, 0x10f59}, {0x10f82, 0x10f89}, {0x11070, 0x11070},
    {0x11073, 0x11074}, {0x110c2, 0x110c2}, {0x110cd, 0x110cd},
    {0x111c9, 0x111c9}, {0x111cf, 0x111cf}, {0x1123e, 0x1123e},
    {0x11241, 0x11241}, {0x1133b, 0x1133b}, {0x11438, 0x1143f},
    {0x11442, 0x11444}, {0x11446, 0x11446}, {0x1144b, 0x1144f},
    {0x1145a, 0x1145b}, {0x1145d, 0x1145e}, {0x11660, 0x1166c},
    {0x116b9, 0x116b9}, {0x1182f, 0x11837}, {0x11839, 0x1183b},
    {0x1193b, 0x1193c}, {0x1193e, 0x1193e}, {0x11943, 0x11946},
    {0x119d4, 0x119d7}, {0x119da, 0x119db}, {0x119e0, 0x119e0},
    {0x119e2, 0x119e2}, {0x11a01, 0x11a0a}, {0x11a33, 0x11a38},
    {0x11a3b, 0x11a47}, {0x11a51, 0x11a56}, {0x11a59, 0x11a5b},
    {0x11a8a, 0x11a96}, {0x11a98, 0x11a9c}, {0x11a9e, 0x11aa2},
    {0x11b00, 0x11b09}, {0x11c30, 0x11c36}, {0x11c38, 0x11c3d},
    {0x11c3f, 0x11c3f}, {0x11c41, 0x11c45}, {0x11c70, 0x11c71},
    {0x11c92, 0x11ca7}, {0x11caa, 0x11cb0}, {0x11cb2, 0x11cb3},
    {0x11cb5, 0x11cb6}, {0x11d31, 0x11d36}, {0x11d3a, 0x11d3a},
    {0x11d3c, 0x11d3d}, {0x11d3f, 0x11d45}, {0x11d47, 0x11d47},
    {0x11d90, 0x11d91}, {0x11d95, 0x11d95}, {0x11d97, 0x11d97},
    {0x11ef3, 0x11ef4}, {0x11ef7, 0x11ef8}, {0x11f00, 0x11f01},
    {0x11f36, 0x11f3a}, {0x11f40, 0x11f40}, {0x11f42, 0x11f4f},
    {0x11fff, 0x11fff}, {0x12ff1, 0x12ff2}, {0x13430, 0x13440},
    {0x13447, 0x13455}, {0x16e97, 0x16e9a}, {0x16f4f, 0x16f4f},
    {0x16fe2, 0x16fe2}, {0x16fe4, 0x16fe4}, {0x1cf00, 0x1cf2d},
    {0x1cf30, 0x1cf46}, {0x1e000, 0x1e006}, {0x1e008, 0x1e018},
    {0x1e01b, 0x1e021}, {0x1e023, 0x1e024}, {0x1e026, 0x1e02a},
    {0x1e08f, 0x1e08f}, {0x1e130, 0x1e136}, {0x1e2ae, 0x1e2ae},
    {0x1e2ec, 0x1e2ef}, {0x1e4ec, 0x1e4ef}, {0x1e944, 0x1e94a},
    {0x1e95e, 0x1e95f},
};

// Letters and numbers of Unicode 16 that utf8proc 2.8 (Unicode 15) lacks.
constexpr Range kYoungLetters[] = {
    {0x1c89, 0x1c8a},   {0xa7cb, 0xa7cd},   {0xa7da, 0xa7dc},
    {0x105c0, 0x105f3}, {0x10d4a, 0x10d65}, {0x10d6f, 0x10d85},
    {0x10ec2, 0x10ec4}, {0x11380, 0x11389}, {0x1138b, 0x1138b},
    {0x1138e, 0x1138e}, {0x11390, 0x113b5}, {0x113b7, 0x113b7},
    {0x113d1, 0x113d1}, {0x113d3, 0x113d3}, {0x11bc0, 0x11be0},
    {0x13460, 0x143fa}, {0x16100, 0x1611d}, {0x16d40, 0x16d6c},
    {0x18cff, 0x18cff}, {0x1e5d0, 0x1e5ed}, {0x1e5f0, 0x1e5f0},
    {0x2ebf0, 0x2ee5d},
};
constexpr Range kYoungNumbers[] = {
    {0x10d40, 0x10d49}, {0x116d0, 0x116e3}, {0x11bf0, 0x11bf9},
    {0x16130, 0x16139}, {0x16d70, 0x16d79}, {0x1ccf0, 0x1ccf9},
    {0x1e5f1, 0x1e5fa},
};

constexpr Range kIdeographs[] = {
    {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xf900, 0xfaff},
    {0x20000, 0x2a6df}, {0x2a700, 0x2b81f}, {0x2b920, 0x2ceaf},
    {0x2f800, 0x2fa1f},
};

// Alphabetic symbols: circled and squared letters.
constexpr Range kAlphabeticSymbols[] = {
    {0x24b6, 0x24e9},
    {0x1f130, 0x1f149},
    {0x1f150, 0x1f169},
    {0x1f170, 0x1f189},
};

template <size_t n>
bool Contains(const Range (&ranges)[n], char32_t c) {
  if (c < ranges[0].first || c > ranges[n - 1].last) return false;
  const auto* it = std::upper_bound(
      std::begin(ranges), std::end(ranges), c,
      [](char32_t value, const Range& range) { return value < range.first; });
  return it != std::begin(ranges) && c <= std::prev(it)->last;
}

utf8proc_category_t Category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool IsAsciiPunctuation(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

bool IsContinuation(std::string_view text, size_t pos) {
  return pos < text.size() && (static_cast<uint8_t>(text[pos]) & 0xc0) == 0x80;
}

}  // namespace

CodePoint DecodeUtf8(std::string_view text, size_t pos) {
  const auto byte = [&](size_t i) -> char32_t {
    return static_cast<uint8_t>(text[pos + i]);
  };
  constexpr CodePoint kInvalid{0xfffd, 1};
  const char32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xc2 || lead > 0xf4 || !IsContinuation(text, pos + 1)) {
    return kInvalid;
  }
  if (lead < 0xe0) return {(lead & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  if (!IsContinuation(text, pos + 2)) return kInvalid;
  if (lead < 0xf0) {
    const char32_t c =
        (lead & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    const bool valid = c >= 0x800 && (c < 0xd800 || c > 0xdfff);
    return valid ? CodePoint{c, 3} : kInvalid;
  }
  if (!IsContinuation(text, pos + 3)) return kInvalid;
  const char32_t c = (lead & 0x7) << 18 | (byte(1) & 0x3f) << 12 |
                     (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
  return c >= 0x10000 && c <= 0x10ffff ? CodePoint{c, 4} : kInvalid;
}

void AppendUtf8(char32_t c, std::string* out) {
  utf8proc_uint8_t bytes[4];
  const auto length =
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
  out->append(reinterpret_cast<const char*>(bytes), length);
}

size_t PreviousCodePoint(std::string_view text, size_t pos) {
  for (size_t length = 2; length <= 4 && length <= pos; ++length) {
    const size_t start = pos - length;
    if (DecodeUtf8(text, start).length == static_cast<int>(length)) {
      return start;
    }
  }
  return pos - 1;
}

bool IsWhitespace(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x9 && c <= 0xd);
  return c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000;
}

bool IsLetter(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const auto category = Category(c);
  return (category >= UTF8PROC_CATEGORY_LU &&
          category <= UTF8PROC_CATEGORY_LO) ||
         Contains(kYoungLetters, c);
}

bool IsNumber(char32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9';
  const auto category = Category(c);
  return (category >= UTF8PROC_CATEGORY_ND &&
          category <= UTF8PROC_CATEGORY_NO) ||
         Contains(kYoungNumbers, c);
}

bool IsWordChar(char32_t c) {
  const auto category = Category(c);
  return IsLetter(c) ||
         (category >= UTF8PROC_CATEGORY_MN &&
          category <= UTF8PROC_CATEGORY_NL) ||
         category == UTF8PROC_CATEGORY_PC || c == 0x200c || c == 0x200d ||
         Contains(kAlphabeticSymbols, c);
}

bool IsBertControl(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  const auto category = Category(c);
  return (category == UTF8PROC_CATEGORY_CC ||
          category == UTF8PROC_CATEGORY_CF ||
          category == UTF8PROC_CATEGORY_CO) &&
         !Contains(kYoungerThanUnicode8, c);
}

bool IsBertPunctuation(char32_t c) {
  if (c < 0x80) return IsAsciiPunctuation(c);
  // Punctuation in Unicode 8, other categories since.
  if (c == 0x166d || c == 0x111c9) return true;
  const auto category = Category(c);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO &&
         !Contains(kYoungerThanUnicode8, c);
}

bool IsBertMark(char32_t c) {
  if (c < 0x300) return false;
  if (c == 0x1734) return true;  // Mn in Unicode 8, Mc since
  return Category(c) == UTF8PROC_CATEGORY_MN &&
         !Contains(kYoungerThanUnicode8, c);
}

bool IsBertIdeograph(char32_t c) { return Contains(kIdeographs, c); }

bool BertDecomposes(char32_t c) {
  if (c < 0xc0 || c == 0x11938) return false;  // U+11938: Unicode 13
  const auto* property = utf8proc_get_property(static_cast<int32_t>(c));
  return property->decomp_seqindex != UINT16_MAX ||
         (c >= 0xac00 && c <= 0xd7a3);
}

}  // namespace stint
