#include "model/text/plain_elements.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/text/unicode.h"

namespace stint {
namespace {

constexpr int kRootDepth = 1;
constexpr int kModelDepth = 2;

// Characters of a string that stand for themselves, but those beyond ASCII.
constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> plain{};
  for (size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

class PlainScanner {
 public:
  PlainScanner(std::string_view text, TokenizerDocument* document)
      : text_(text), document_(document) {}

  // Everything but the elements, which go into the document.
  bool Scan(std::string* rest) {
    size_t copied = 0;
    bool in_model = false;
    std::string_view string;
    std::string unescaped;
    int depth = 0;
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      depth += (c == '{' || c == '[') - (c == '}' || c == ']');
      if (c != '"') {
        ++pos_;
        continue;
      }
      if (!ReadString(&string, &unescaped)) return false;
      if (depth > kModelDepth || !Take(':')) continue;
      if (depth == kRootDepth) in_model = string == "model";
      if (depth != kModelDepth || !in_model) continue;
      const bool vocab = string == "vocab" && Next() == '{';
      if (!vocab && !(string == "merges" && Next() == '[')) continue;
      bool* const had = vocab ? &had_vocab_ : &had_merges_;
      if (std::exchange(*had, true)) return false;
      rest->append(text_, copied, pos_ + 1 - copied);
      ++pos_;
      if (!(vocab ? ReadVocabulary() : ReadMerges())) return false;
      copied = pos_++;  // from the bracket on
    }
    rest->append(text_, copied);
    return true;
  }

 private:
  // The next character but blanks; 0 at the end.
  char Next() {
    while (pos_ < text_.size() &&
           (text_[pos_] == ' ' || text_[pos_] == '\n' || text_[pos_] == '\t' ||
            text_[pos_] == '\r')) {
      ++pos_;
    }
    return pos_ < text_.size() ? text_[pos_] : '\0';
  }
  bool Take(char c) {
    if (Next() != c) return false;
    ++pos_;
    return true;
  }

  // Up to the bracket that ends them.
  bool ReadVocabulary() {
    if (Next() == '}') return true;
    std::string_view token;
    std::string unescaped;
    do {
      int32_t id = 0;
      if (Next() != '"' || !ReadString(&token, &unescaped) || !Take(':') ||
          !ReadId(&id)) {
        return false;
      }
      document_->vocabulary.Add(token, id);
    } while (Take(','));
    return Next() == '}';
  }

  bool ReadMerges() {
    if (Next() == ']') return true;
    std::string_view left;
    std::string_view right;
    std::string unescaped_left;
    std::string unescaped_right;
    do {
      const bool pair = Take('[');
      if (Next() != '"' || !ReadString(&left, &unescaped_left)) return false;
      if (pair) {
        if (!Take(',') || Next() != '"' ||
            !ReadString(&right, &unescaped_right) || !Take(']')) {
          return false;
        }
      } else {
        const size_t blank = std::min(left.find(' '), left.size());
        right = left.substr(std::min(blank + 1, left.size()));
        left = left.substr(0, blank);
      }
      if (left.empty() || right.empty()) return false;
      document_->merges.emplace_back(Store(left), Store(right));
    } while (Take(','));
    return Next() == ']';
  }

  // An id from 0 to 2^31 - 2 of digits alone.
  bool ReadId(int32_t* id) {
    const bool zero = Next() == '0';
    int64_t value = 0;
    const size_t begin = pos_;
    while (pos_ < text_.size() && text_[pos_] >= '0' && text_[pos_] <= '9') {
      value = value * 10 + (text_[pos_++] - '0');
      if (value >= INT32_MAX || (zero && pos_ > begin + 1)) return false;
    }
    *id = static_cast<int32_t>(value);
    const char after = Next();
    return pos_ > begin && (after == ',' || after == '}');
  }

  // At a quotation mark; leaves the one that ends it behind. `string` is a
  // piece of the file, or of `unescaped` where that has escapes.
  bool ReadString(std::string_view* string, std::string* unescaped) {
    bool escapes = false;
    size_t begin = ++pos_;
    while (pos_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[pos_]);
      if (kIsPlain[c]) {
        ++pos_;
      } else if (c == '"') {
        *string = text_.substr(begin, pos_++ - begin);
        if (escapes) *string = unescaped->append(*string);
        return true;
      } else if (c == '\\') {
        if (!std::exchange(escapes, true)) unescaped->clear();
        unescaped->append(text_, begin, pos_ - begin);
        if (!ReadEscape(unescaped)) return false;
        begin = pos_;
      } else if (c < 0x20) {
        return false;
      } else {
        const CodePoint point = DecodeUtf8(text_, pos_);
        if (point.length == 1) return false;  // not UTF-8
        pos_ += static_cast<size_t>(point.length);
      }
    }
    return false;
  }

  // Of one character; halves of characters beyond 16 bits are left to others.
  bool ReadEscape(std::string* string) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (++pos_ == text_.size()) return false;
    const size_t name = kNames.find(text_[pos_]);
    if (name != kNames.npos) {
      string->push_back(kMeanings[name]);
      ++pos_;
      return true;
    }
    if (text_[pos_] != 'u' || text_.size() - pos_ < 5) return false;
    char32_t point = 0;
    for (const char digit : text_.substr(pos_ + 1, 4)) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const size_t value = kDigits.find(static_cast<char>(
          digit >= 'A' && digit <= 'F' ? digit - 'A' + 'a' : digit));
      if (value == kDigits.npos) return false;
      point = point * 16 + static_cast<char32_t>(value);
    }
    if (point >= 0xd800 && point < 0xe000) return false;
    AppendUtf8(point, string);
    pos_ += 5;
    return true;
  }

  // Copies a piece of the file without its escapes, so that the text never
  // outgrows the file.
  std::string_view Store(std::string_view part) {
    char* place = document_->text.get() + used_;
    part.copy(place, part.size());
    used_ += part.size();
    return {place, part.size()};
  }

  const std::string_view text_;
  TokenizerDocument* const document_;
  size_t pos_ = 0;
  size_t used_ = 0;
  bool had_vocab_ = false;
  bool had_merges_ = false;
};

}  // namespace

bool TakePlainElements(std::string_view content, TokenizerDocument* document,
                       std::string* rest) {
  rest->clear();
  if (PlainScanner(content, document).Scan(rest)) return true;
  document->vocabulary = {};
  document->merges.clear();
  return false;
}

}  // namespace stint
