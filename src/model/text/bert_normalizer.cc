#include "model/text/bert_normalizer.h"

#include <utf8proc.h>

#include <utility>

#include "model/text/unicode.h"

namespace stint {
namespace {

using Kind = BertNormalizer::Kind;

Kind AsciiKind(char32_t c, bool clean_text) {
  if (clean_text && IsBertControl(c)) return Kind::kRemoved;
  if (IsWhitespace(c)) return Kind::kBlank;
  return IsBertPunctuation(c) ? Kind::kPunctuation : Kind::kWord;
}

int CombiningClass(char32_t c) {
  return utf8proc_get_property(static_cast<int32_t>(c))->combining_class;
}

// Appends a character in canonical order: combining characters are sorted by
// class, stably, up to the last one of class 0.
void PushOrdered(char32_t c, std::vector<char32_t>* out) {
  out->push_back(c);
  const int order = c < 0x300 ? 0 : CombiningClass(c);
  if (order == 0) return;
  for (size_t i = out->size() - 1;
       i > 0 && CombiningClass((*out)[i - 1]) > order; --i) {
    std::swap((*out)[i], (*out)[i - 1]);
  }
}

// Appends the canonical decomposition of `c` without its accents.
void PushWithoutAccents(char32_t c, std::vector<char32_t>* out) {
  if (!BertDecomposes(c)) {
    if (!IsBertMark(c)) PushOrdered(c, out);
    return;
  }
  // Unicode's longest canonical decomposition has four characters.
  utf8proc_int32_t parts[8];
  int boundary = 0;
  const auto count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts,
                              std::size(parts), UTF8PROC_DECOMPOSE, &boundary);
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    const auto part = static_cast<char32_t>(parts[i]);
    if (!IsBertMark(part)) PushOrdered(part, out);
  }
}

void Lowercase(std::vector<char32_t>* out) {
  constexpr char32_t kCapitalIWithDot = 0x130;
  for (size_t i = 0; i < out->size(); ++i) {
    char32_t& c = (*out)[i];
    if (c == kCapitalIWithDot) {
      c = 'i';
      out->insert(out->begin() + i + 1, 0x307);
    } else {
      c = static_cast<char32_t>(
          utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
    }
  }
}

}  // namespace

BertNormalizer::BertNormalizer(const BertNormalizerOptions& options)
    : options_(options) {
  for (int c = 0; c < 0x80; ++c) {
    Byte& byte = bytes_[c];
    byte.kind = AsciiKind(c, options.clean_text);
    byte.normalized = static_cast<char>(c);
    if (options.lowercase && c >= 'A' && c <= 'Z') byte.normalized += 'a' - 'A';
    if (options.clean_text && byte.kind == Kind::kBlank) byte.normalized = ' ';
  }
}

void BertNormalizer::NormalizeChar(char32_t c,
                                   std::vector<char32_t>* out) const {
  if (options_.clean_text) {
    if (c == 0xfffd || IsBertControl(c)) return;
    if (IsWhitespace(c)) c = ' ';
  }
  const bool isolate = options_.handle_chinese_chars && IsBertIdeograph(c);
  if (isolate) out->push_back(' ');
  if (options_.strip_accents) {
    PushWithoutAccents(c, out);
  } else {
    out->push_back(c);
  }
  if (isolate) out->push_back(' ');
}

size_t BertNormalizer::NormalizeRun(std::string_view text, size_t pos,
                                    std::vector<char32_t>* out) const {
  out->clear();
  while (pos < text.size()) {
    const Kind kind = byte(text[pos]).kind;
    if (kind == Kind::kRemoved) {
      ++pos;
      continue;
    }
    if (kind != Kind::kForeign) break;
    const CodePoint c = DecodeUtf8(text, pos);
    NormalizeChar(c.value, out);
    pos += c.length;
  }
  if (options_.lowercase) Lowercase(out);
  return pos;
}

std::string BertNormalizer::Normalize(std::string_view text) const {
  std::string out;
  std::vector<char32_t> run;
  for (size_t pos = 0; pos < text.size();) {
    const Byte& first = byte(text[pos]);
    if (first.kind == Kind::kForeign) {
      pos = NormalizeRun(text, pos, &run);
      for (const char32_t c : run) AppendUtf8(c, &out);
      continue;
    }
    if (first.kind != Kind::kRemoved) out += first.normalized;
    ++pos;
  }
  return out;
}

}  // namespace stint
