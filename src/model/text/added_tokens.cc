#include "model/text/added_tokens.h"

#include <algorithm>
#include <cstring>

#include "model/text/unicode.h"

namespace stint {
namespace {

bool TouchesWord(std::string_view text, size_t start, size_t end) {
  if (start > 0 &&
      IsWordChar(DecodeUtf8(text, PreviousCodePoint(text, start)).value)) {
    return true;
  }
  return end < text.size() && IsWordChar(DecodeUtf8(text, end).value);
}

size_t SkipBlanksBefore(std::string_view text, size_t pos, size_t limit) {
  while (pos > limit) {
    const size_t previous = PreviousCodePoint(text, pos);
    if (previous < limit || !IsWhitespace(DecodeUtf8(text, previous).value)) {
      break;
    }
    pos = previous;
  }
  return pos;
}

size_t SkipBlanksAfter(std::string_view text, size_t pos) {
  while (pos < text.size()) {
    const CodePoint c = DecodeUtf8(text, pos);
    if (!IsWhitespace(c.value)) break;
    pos += c.length;
  }
  return pos;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens)
    : tokens_(std::move(tokens)) {
  std::erase_if(tokens_, [](const AddedToken& t) { return t.content.empty(); });
  std::stable_sort(tokens_.begin(), tokens_.end(),
                   [](const AddedToken& a, const AddedToken& b) {
                     return a.content.size() > b.content.size();
                   });
  for (const AddedToken& token : tokens_) {
    starts_[static_cast<uint8_t>(token.content[0])] = true;
  }
  if (std::count(starts_.begin(), starts_.end(), true) == 1) {
    single_start_ = static_cast<uint8_t>(tokens_[0].content[0]);
  }
}

size_t AddedTokens::NextStart(std::string_view text, size_t pos) const {
  if (tokens_.empty()) return text.size();
  if (single_start_ >= 0) {
    return std::min(text.find(static_cast<char>(single_start_), pos),
                    text.size());
  }
  while (pos < text.size() && !starts_[static_cast<uint8_t>(text[pos])]) ++pos;
  return pos;
}

const AddedToken* AddedTokens::MatchAt(std::string_view text,
                                       size_t pos) const {
  for (const AddedToken& token : tokens_) {
    if (text.substr(pos).starts_with(token.content)) return &token;
  }
  return nullptr;
}

std::vector<TextPart> AddedTokens::Split(std::string_view text) const {
  std::vector<TextPart> parts;
  size_t done = 0;  // text before it is in `parts`
  size_t pos = NextStart(text, 0);
  while (pos < text.size()) {
    const AddedToken* token = MatchAt(text, pos);
    if (token == nullptr) {
      pos = NextStart(text, pos + 1);
      continue;
    }
    size_t start = pos;
    size_t end = pos + token->content.size();
    pos = NextStart(text, end);
    if (start < done || (token->single_word && TouchesWord(text, start, end))) {
      continue;
    }
    if (token->strip_left) start = SkipBlanksBefore(text, start, done);
    if (token->strip_right) end = SkipBlanksAfter(text, end);
    if (start > done) parts.push_back({text.substr(done, start - done)});
    parts.push_back({text.substr(start, end - start), token->id});
    done = end;
  }
  if (done < text.size()) parts.push_back({text.substr(done)});
  return parts;
}

}  // namespace stint
