#include "model/text/wordpiece.h"

#include <algorithm>

#include "model/text/json_node.h"
#include "model/text/unicode.h"
#include "model/text/vocabulary.h"

namespace stint {
namespace {

using Kind = BertNormalizer::Kind;

// One call's working memory: the word being collected.
struct Word {
  std::string text;
  uint64_t hash = Vocabulary::kEmptyHash;
  int64_t chars = 0;

  void Append(char c) {
    text += c;
    hash = Vocabulary::Extend(hash, c);
  }
  void Clear() {
    text.clear();
    hash = Vocabulary::kEmptyHash;
    chars = 0;
  }
};

class WordPiece : public SubwordModel {
 public:
  WordPiece(const WordPieceOptions& options, Vocabulary initial,
            Vocabulary continuing, int32_t unknown_id)
      : normalizer_(options.normalizer),
        max_chars_per_word_(options.max_chars_per_word),
        unknown_id_(unknown_id),
        initial_(std::move(initial)),
        continuing_(std::move(continuing)) {
    for (size_t i = 0; i < initial_.size(); ++i) {
      size_ = std::max<int64_t>(size_, int64_t{initial_.id(i)} + 1);
    }
  }

  void Append(std::string_view text, std::vector<int32_t>* ids) const override;
  std::optional<int32_t> Find(std::string_view token) const override {
    const int32_t index = initial_.Find(token);
    if (index == Vocabulary::kNone) return std::nullopt;
    return initial_.id(index);
  }
  std::string Normalize(std::string_view text) const override {
    return normalizer_.Normalize(text);
  }
  int64_t vocabulary_size() const override { return size_; }

 private:
  size_t AppendAsciiWord(std::string_view text, size_t pos, Word* word) const;
  void AppendRun(const std::vector<char32_t>& run, Word* word,
                 std::vector<int32_t>* ids) const;
  void EmitWord(Word* word, std::vector<int32_t>* ids) const;
  bool EmitPieces(const std::string& word, std::vector<int32_t>* ids) const;
  int32_t LongestPiece(std::string_view rest, const Vocabulary& pieces) const;

  BertNormalizer normalizer_;
  int64_t max_chars_per_word_;
  int32_t unknown_id_;
  int64_t size_ = 0;
  Vocabulary initial_;
  Vocabulary continuing_;  // without their prefix
};

void WordPiece::Append(std::string_view text, std::vector<int32_t>* ids) const {
  Word word;
  std::vector<char32_t> run;
  for (size_t pos = 0; pos < text.size();) {
    const BertNormalizer::Byte& byte = normalizer_.byte(text[pos]);
    switch (byte.kind) {
      case Kind::kWord:
        pos = AppendAsciiWord(text, pos, &word);
        continue;
      case Kind::kForeign:
        pos = normalizer_.NormalizeRun(text, pos, &run);
        AppendRun(run, &word, ids);
        continue;
      case Kind::kPunctuation:
        EmitWord(&word, ids);
        word.Append(byte.normalized);
        word.chars = 1;
        EmitWord(&word, ids);
        break;
      case Kind::kBlank:
        EmitWord(&word, ids);
        break;
      case Kind::kRemoved:
        break;
    }
    ++pos;
  }
  EmitWord(&word, ids);
}

size_t WordPiece::AppendAsciiWord(std::string_view text, size_t pos,
                                  Word* word) const {
  const size_t start = pos;
  uint64_t hash = word->hash;
  const size_t old_size = word->text.size();
  while (pos < text.size() && normalizer_.byte(text[pos]).kind == Kind::kWord) {
    ++pos;
  }
  word->text.resize(old_size + pos - start);
  char* out = word->text.data() + old_size;
  for (size_t i = start; i < pos; ++i) {
    const char c = normalizer_.byte(text[i]).normalized;
    *out++ = c;
    hash = Vocabulary::Extend(hash, c);
  }
  word->hash = hash;
  word->chars += static_cast<int64_t>(pos - start);
  return pos;
}

void WordPiece::AppendRun(const std::vector<char32_t>& run, Word* word,
                          std::vector<int32_t>* ids) const {
  std::string bytes;
  for (const char32_t c : run) {
    const bool blank = IsWhitespace(c);
    const bool alone = blank || IsBertPunctuation(c);
    if (alone) EmitWord(word, ids);
    if (blank) continue;
    bytes.clear();
    AppendUtf8(c, &bytes);
    for (const char byte : bytes) word->Append(byte);
    ++word->chars;
    if (alone) EmitWord(word, ids);
  }
}

void WordPiece::EmitWord(Word* word, std::vector<int32_t>* ids) const {
  if (word->chars == 0) return;
  if (word->chars > max_chars_per_word_) {
    ids->push_back(unknown_id_);
  } else if (const int32_t index = initial_.Find(word->text, word->hash);
             index != Vocabulary::kNone) {
    ids->push_back(initial_.id(index));
  } else if (const size_t old_size = ids->size();
             !EmitPieces(word->text, ids)) {
    ids->resize(old_size);
    ids->push_back(unknown_id_);
  }
  word->Clear();
}

// The index of the longest entry of `pieces` that `rest` starts with.
int32_t WordPiece::LongestPiece(std::string_view rest,
                                const Vocabulary& pieces) const {
  // Hashes of all prefixes by one walk; longer words go by parts, the later
  // parts first.
  constexpr size_t kWindow = 64;
  uint64_t hashes[kWindow];
  const size_t longest = std::min(rest.size(), pieces.longest());
  const size_t first_part = longest == 0 ? 0 : (longest - 1) / kWindow;
  for (size_t part = first_part + 1; part-- > 0;) {
    const size_t begin = part * kWindow;
    const size_t end = std::min(longest, begin + kWindow);
    uint64_t hash = Vocabulary::HashOf(rest.substr(0, begin));
    for (size_t i = begin; i < end; ++i) {
      hash = hashes[i - begin] = Vocabulary::Extend(hash, rest[i]);
    }
    for (size_t length = end; length > begin; --length) {
      const int32_t index =
          pieces.Find(rest.substr(0, length), hashes[length - 1 - begin]);
      if (index != Vocabulary::kNone) return index;
    }
  }
  return Vocabulary::kNone;
}

bool WordPiece::EmitPieces(const std::string& word,
                           std::vector<int32_t>* ids) const {
  std::string_view rest = word;
  const Vocabulary* pieces = &initial_;
  while (!rest.empty()) {
    const int32_t index = LongestPiece(rest, *pieces);
    if (index == Vocabulary::kNone) return false;
    ids->push_back(pieces->id(index));
    rest.remove_prefix(pieces->text(index).size());
    pieces = &continuing_;
  }
  return true;
}

Vocabulary MakeContinuing(const TokenList& tokens, const std::string& prefix) {
  size_t count = 0;
  size_t bytes = 0;
  for (const auto& [text, id] : tokens) {
    if (!text.starts_with(prefix)) continue;
    ++count;
    bytes += text.size() - prefix.size();
  }
  Vocabulary pieces(count, bytes);
  for (const auto& [text, id] : tokens) {
    if (text.starts_with(prefix)) pieces.Add(text.substr(prefix.size()), id);
  }
  return pieces;
}

}  // namespace

Result<std::unique_ptr<const SubwordModel>> MakeWordPiece(
    const TokenList& tokens, const WordPieceOptions& options) {
  size_t bytes = 0;
  for (const auto& [text, id] : tokens) bytes += text.size();
  Vocabulary initial(tokens.size(), bytes);
  for (const auto& [text, id] : tokens) {
    if (!initial.Add(text, id)) {
      return Damaged("vocabulary: token " + Quoted(text) +
                     ": expected once, found twice");
    }
  }
  const int32_t unknown = initial.Find(options.unknown_token);
  if (unknown == Vocabulary::kNone) {
    return Damaged("vocabulary: expected the unknown token " +
                   Quoted(options.unknown_token) + ", found none among " +
                   std::to_string(tokens.size()) + " tokens");
  }
  const int32_t unknown_id = initial.id(unknown);
  return std::unique_ptr<const SubwordModel>(std::make_unique<WordPiece>(
      options, std::move(initial),
      MakeContinuing(tokens, options.continuing_prefix), unknown_id));
}

}  // namespace stint
