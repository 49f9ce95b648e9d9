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

// The entries of the vocabulary that begin with a prefix, which is no part of
// the piece itself.
struct Pieces {
  explicit Pieces(std::string with)
      : prefix(std::move(with)), hash(Vocabulary::HashOf(prefix)) {}

  void AddLength(std::string_view token) {
    if (!token.starts_with(prefix)) return;
    longest = std::max(longest, token.size() - prefix.size());
  }

  std::string prefix;
  uint64_t hash;       // of the prefix
  size_t longest = 0;  // bytes, without the prefix
};

class WordPiece : public SubwordModel {
 public:
  WordPiece(const WordPieceOptions& options, Vocabulary vocabulary,
            int32_t unknown_id)
      : normalizer_(options.normalizer),
        max_chars_per_word_(options.max_chars_per_word),
        unknown_id_(unknown_id),
        vocabulary_(std::move(vocabulary)),
        continuing_(options.continuing_prefix) {
    for (const auto& [text, id] : vocabulary_.tokens()) {
      size_ = std::max<int64_t>(size_, int64_t{id} + 1);
      initial_.AddLength(text);
      continuing_.AddLength(text);
    }
  }

  void Append(std::string_view text, std::vector<int32_t>* ids) const override;
  std::optional<int32_t> Find(std::string_view token) const override {
    const int32_t index = vocabulary_.Find(token);
    if (index == Vocabulary::kNone) return std::nullopt;
    return vocabulary_.id(index);
  }
  std::string Normalize(std::string_view text) const override {
    return normalizer_.Normalize(text);
  }
  int64_t vocabulary_size() const override { return size_; }
  int64_t heap_bytes() const override { return vocabulary_.heap_bytes(); }

 private:
  size_t AppendAsciiWord(std::string_view text, size_t pos, Word* word) const;
  void AppendRun(const std::vector<char32_t>& run, Word* word,
                 std::vector<int32_t>* ids) const;
  void EmitWord(Word* word, std::vector<int32_t>* ids) const;
  bool EmitPieces(const std::string& word, std::vector<int32_t>* ids) const;
  int32_t LongestPiece(std::string_view rest, const Pieces& pieces) const;

  BertNormalizer normalizer_;
  int64_t max_chars_per_word_;
  int32_t unknown_id_;
  int64_t size_ = 0;
  Vocabulary vocabulary_;
  Pieces initial_{""};
  Pieces continuing_;
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
  } else if (const int32_t index = vocabulary_.Find(word->text, word->hash, {});
             index != Vocabulary::kNone) {
    ids->push_back(vocabulary_.id(index));
  } else if (const size_t old_size = ids->size();
             !EmitPieces(word->text, ids)) {
    ids->resize(old_size);
    ids->push_back(unknown_id_);
  }
  word->Clear();
}

// The entry of the longest of `pieces` that `rest` starts with.
int32_t WordPiece::LongestPiece(std::string_view rest,
                                const Pieces& pieces) const {
  // Hashes of all prefixes by one walk; longer words go by parts, the later
  // parts first.
  constexpr size_t kWindow = 64;
  uint64_t hashes[kWindow];
  const size_t longest = std::min(rest.size(), pieces.longest);
  const size_t first_part = longest == 0 ? 0 : (longest - 1) / kWindow;
  for (size_t part = first_part + 1; part-- > 0;) {
    const size_t begin = part * kWindow;
    const size_t end = std::min(longest, begin + kWindow);
    uint64_t hash = pieces.hash;
    for (const char c : rest.substr(0, begin)) {
      hash = Vocabulary::Extend(hash, c);
    }
    for (size_t i = begin; i < end; ++i) {
      hash = hashes[i - begin] = Vocabulary::Extend(hash, rest[i]);
    }
    for (size_t length = end; length > begin; --length) {
      const int32_t index = vocabulary_.Find(
          rest.substr(0, length), hashes[length - 1 - begin], pieces.prefix);
      if (index != Vocabulary::kNone) return index;
    }
  }
  return Vocabulary::kNone;
}

bool WordPiece::EmitPieces(const std::string& word,
                           std::vector<int32_t>* ids) const {
  std::string_view rest = word;
  const Pieces* pieces = &initial_;
  while (!rest.empty()) {
    const int32_t index = LongestPiece(rest, *pieces);
    if (index == Vocabulary::kNone) return false;
    ids->push_back(vocabulary_.id(index));
    rest.remove_prefix(vocabulary_.text(index).size() - pieces->prefix.size());
    pieces = &continuing_;
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<const SubwordModel>> MakeWordPiece(
    TokenList tokens, const WordPieceOptions& options) {
  STINT_ASSIGN_OR_RETURN(Vocabulary vocabulary,
                         Vocabulary::Of(std::move(tokens)));
  const int32_t unknown = vocabulary.Find(options.unknown_token);
  if (unknown == Vocabulary::kNone) {
    return Damaged("vocabulary: expected the unknown token " +
                   Quoted(options.unknown_token) + ", found none among " +
                   std::to_string(vocabulary.size()) + " tokens");
  }
  const int32_t unknown_id = vocabulary.id(unknown);
  return std::unique_ptr<const SubwordModel>(
      std::make_unique<WordPiece>(options, std::move(vocabulary), unknown_id));
}

}  // namespace stint
