#include "model/text/byte_level_bpe.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "model/text/byte_level_split.h"
#include "model/text/json_node.h"
#include "model/text/merge_table.h"
#include "model/text/unicode.h"
#include "model/text/vocabulary.h"

namespace stint {
namespace {

// The alphabet of byte-level vocabulary files: printable Latin-1 bytes stand
// for themselves, the other 68 in order for U+0100 and up.
constexpr bool IsPrintable(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) ||
         (byte >= 0xae && byte <= 0xff);
}

constexpr std::array<int16_t, 0x144> MakeByteOfChar() {
  std::array<int16_t, 0x144> bytes{};
  bytes.fill(-1);
  int other = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    bytes[IsPrintable(byte) ? byte : other++] = static_cast<int16_t>(byte);
  }
  return bytes;
}
constexpr std::array<int16_t, 0x144> kByteOfChar = MakeByteOfChar();

// Nothing when the token has a character outside the alphabet.
std::optional<std::string> BytesOf(std::string_view token) {
  std::string bytes;
  for (size_t pos = 0; pos < token.size();) {
    const CodePoint c = DecodeUtf8(token, pos);
    if (c.value >= kByteOfChar.size() || kByteOfChar[c.value] < 0) {
      return std::nullopt;
    }
    bytes += static_cast<char>(kByteOfChar[c.value]);
    pos += c.length;
  }
  return bytes;
}

// A token of the word being merged, in a doubly linked list.
struct Symbol {
  int32_t id;  // kMergedAway once it is part of its left neighbor
  int32_t previous;
  int32_t next;
};
constexpr int32_t kMergedAway = -1;
constexpr int32_t kNoSymbol = -1;

struct Candidate {
  Merge merge;
  int32_t left;

  bool operator<(const Candidate& other) const {  // lowest rank on top
    return merge.rank != other.merge.rank ? merge.rank > other.merge.rank
                                          : left > other.left;
  }
};

// One call's working memory.
struct Scratch {
  std::vector<Symbol> symbols;
  std::vector<Candidate> heap;  // best on top
};

class ByteLevelBpe : public SubwordModel {
 public:
  ByteLevelBpe(Vocabulary vocabulary, MergeTable merges, bool add_prefix_space,
               int32_t unknown_id, int64_t size);

  void Append(std::string_view text, std::vector<int32_t>* ids) const override;
  std::optional<int32_t> Find(std::string_view token) const override;
  std::string Normalize(std::string_view text) const override {
    return std::string(text);
  }
  int64_t vocabulary_size() const override { return size_; }
  int64_t heap_bytes() const override {
    return vocabulary_.heap_bytes() + merges_.heap_bytes() +
           BlockBytes(vocabulary_.size());
  }

 private:
  // Whether merging the bytes of a vocabulary entry ends in that entry alone;
  // found out when first asked.
  enum Whole : uint8_t { kUnknown, kYes, kNo };

  void AppendWord(std::string_view word, Scratch* scratch,
                  std::vector<int32_t>* ids) const;
  void MergeWord(std::string_view word, Scratch* scratch,
                 std::vector<int32_t>* ids) const;
  void FillSymbols(std::string_view word, std::vector<Symbol>* symbols) const;
  void MergeSymbols(Scratch* scratch) const;

  Vocabulary vocabulary_;  // keys are bytes
  MergeTable merges_;
  std::array<int32_t, 256> byte_ids_;
  std::unique_ptr<std::atomic<uint8_t>[]> whole_;  // per vocabulary entry
  bool add_prefix_space_;
  int64_t size_;
};

ByteLevelBpe::ByteLevelBpe(Vocabulary vocabulary, MergeTable merges,
                           bool add_prefix_space, int32_t unknown_id,
                           int64_t size)
    : vocabulary_(std::move(vocabulary)),
      merges_(std::move(merges)),
      whole_(std::make_unique<std::atomic<uint8_t>[]>(vocabulary_.size())),
      add_prefix_space_(add_prefix_space),
      size_(size) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const int32_t index = vocabulary_.Find(std::string_view(&c, 1));
    byte_ids_[byte] =
        index == Vocabulary::kNone ? unknown_id : vocabulary_.id(index);
  }
}

void ByteLevelBpe::Append(std::string_view text,
                          std::vector<int32_t>* ids) const {
  std::string prefixed;
  if (add_prefix_space_ && !text.empty() && text[0] != ' ') {
    prefixed.reserve(text.size() + 1);
    prefixed += ' ';
    prefixed += text;
    text = prefixed;
  }
  Scratch scratch;
  for (size_t pos = 0; pos < text.size();) {
    const size_t end = EndOfByteLevelWord(text, pos);
    AppendWord(text.substr(pos, end - pos), &scratch, ids);
    pos = end;
  }
}

void ByteLevelBpe::AppendWord(std::string_view word, Scratch* scratch,
                              std::vector<int32_t>* ids) const {
  const int32_t index = vocabulary_.Find(word);
  if (index == Vocabulary::kNone) return MergeWord(word, scratch, ids);
  const uint8_t whole = whole_[index].load(std::memory_order_relaxed);
  if (whole == kYes) return ids->push_back(vocabulary_.id(index));
  const size_t old_size = ids->size();
  MergeWord(word, scratch, ids);
  if (whole == kUnknown) {
    const bool alone =
        ids->size() == old_size + 1 && ids->back() == vocabulary_.id(index);
    whole_[index].store(alone ? kYes : kNo, std::memory_order_relaxed);
  }
}

void ByteLevelBpe::MergeWord(std::string_view word, Scratch* scratch,
                             std::vector<int32_t>* ids) const {
  FillSymbols(word, &scratch->symbols);
  MergeSymbols(scratch);
  for (const Symbol& symbol : scratch->symbols) {
    if (symbol.id != kMergedAway) ids->push_back(symbol.id);
  }
}

void ByteLevelBpe::FillSymbols(std::string_view word,
                               std::vector<Symbol>* symbols) const {
  symbols->clear();
  for (const char c : word) {
    const int32_t id = byte_ids_[static_cast<uint8_t>(c)];
    if (id == Vocabulary::kNone) continue;
    const auto position = static_cast<int32_t>(symbols->size());
    symbols->push_back({id, position - 1, position + 1});
  }
  if (!symbols->empty()) symbols->back().next = kNoSymbol;
}

void ByteLevelBpe::MergeSymbols(Scratch* scratch) const {
  std::vector<Symbol>& symbols = scratch->symbols;
  std::vector<Candidate>& heap = scratch->heap;
  heap.clear();
  const auto offer = [&](int32_t left) {
    if (left == kNoSymbol || symbols[left].next == kNoSymbol) return;
    const Merge* merge =
        merges_.Find(symbols[left].id, symbols[symbols[left].next].id);
    if (merge == nullptr) return;
    heap.push_back({*merge, left});
    std::push_heap(heap.begin(), heap.end());
  };
  for (size_t i = 0; i < symbols.size(); ++i) offer(static_cast<int32_t>(i));
  while (!heap.empty()) {
    const Candidate best = heap.front();
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
    Symbol& left = symbols[best.left];
    if (left.id == kMergedAway || left.next == kNoSymbol) continue;
    Symbol& right = symbols[left.next];
    const Merge* current = merges_.Find(left.id, right.id);
    if (current == nullptr || current->id != best.merge.id) continue;
    left.id = best.merge.id;
    right.id = kMergedAway;
    left.next = right.next;
    if (left.next != kNoSymbol) symbols[left.next].previous = best.left;
    offer(left.previous);
    offer(best.left);
  }
}

std::optional<int32_t> ByteLevelBpe::Find(std::string_view token) const {
  const std::optional<std::string> bytes = BytesOf(token);
  if (!bytes) return std::nullopt;
  const int32_t index = vocabulary_.Find(*bytes);
  if (index == Vocabulary::kNone) return std::nullopt;
  return vocabulary_.id(index);
}

Result<Vocabulary> MakeVocabulary(const TokenList& tokens) {
  Vocabulary vocabulary(tokens.size());
  for (const auto& [text, id] : tokens) {
    // Text can only reach tokens within the alphabet.
    const std::optional<std::string> key = BytesOf(text);
    if (key && !vocabulary.Add(*key, id)) {
      return Damaged("vocabulary: token " + Quoted(text) +
                     ": expected once, found twice");
    }
  }
  return vocabulary;
}

Result<int32_t> IdOf(const Vocabulary& vocabulary, const std::string& token,
                     size_t rank) {
  const std::optional<std::string> bytes = BytesOf(token);
  const int32_t index = bytes ? vocabulary.Find(*bytes) : Vocabulary::kNone;
  if (index != Vocabulary::kNone) return vocabulary.id(index);
  return Damaged("merges[" + std::to_string(rank) + "]: expected token " +
                 Quoted(token) + " in the vocabulary, found none");
}

Result<MergeTable> MakeMerges(const MergeList& merges,
                              const Vocabulary& vocabulary) {
  MergeTable table(merges.size());
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string left(merges[rank].first);
    const std::string right(merges[rank].second);
    STINT_ASSIGN_OR_RETURN(const int32_t left_id, IdOf(vocabulary, left, rank));
    STINT_ASSIGN_OR_RETURN(const int32_t right_id,
                           IdOf(vocabulary, right, rank));
    STINT_ASSIGN_OR_RETURN(const int32_t id,
                           IdOf(vocabulary, left + right, rank));
    table.Add(left_id, right_id, {static_cast<uint32_t>(rank), id});
  }
  return table;
}

}  // namespace

Result<std::unique_ptr<const SubwordModel>> MakeByteLevelBpe(
    const TokenList& tokens, const MergeList& merges,
    const ByteLevelBpeOptions& options) {
  STINT_ASSIGN_OR_RETURN(Vocabulary vocabulary, MakeVocabulary(tokens));
  STINT_ASSIGN_OR_RETURN(MergeTable table, MakeMerges(merges, vocabulary));
  int64_t size = 0;
  int32_t unknown_id = Vocabulary::kNone;
  for (const auto& [text, id] : tokens) {
    size = std::max<int64_t>(size, int64_t{id} + 1);
    if (options.unknown_token == text) unknown_id = id;
  }
  if (options.unknown_token && unknown_id == Vocabulary::kNone) {
    return Damaged("vocabulary: expected the unknown token " +
                   Quoted(*options.unknown_token) + ", found none among " +
                   std::to_string(tokens.size()) + " tokens");
  }
  return std::unique_ptr<const SubwordModel>(std::make_unique<ByteLevelBpe>(
      std::move(vocabulary), std::move(table), options.add_prefix_space,
      unknown_id, size));
}

}  // namespace stint
