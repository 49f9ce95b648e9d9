#pragma once
// Token text to id: an open-addressing hash table over a list of tokens, made
// once and then only read, by any number of threads. A vocabulary of 30,522
// tokens takes 430 kB, of which 230 kB are its text.

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/text/token_list.h"
#include "stint/status.h"

namespace stint {

class Vocabulary {
 public:
  static constexpr int32_t kNone = -1;

  // Room for `count` entries, at most 2^31.
  explicit Vocabulary(size_t count);
  // kDamaged when a token is there twice.
  static Result<Vocabulary> Of(TokenList tokens);

  // False, and nothing added, when the text is there already. At most `count`
  // entries may be added.
  bool Add(std::string_view text, int32_t id);

  // The index of an entry (in order of addition), or kNone.
  int32_t Find(std::string_view text) const {
    return Find(text, HashOf(text), {});
  }
  // The entry `prefix` + `text`, whose hash the caller has made byte by byte
  // with Extend.
  int32_t Find(std::string_view text, uint64_t hash,
               std::string_view prefix) const;

  int32_t id(int32_t index) const { return tokens_.id(Place(index)); }
  std::string_view text(int32_t index) const {
    return tokens_.text(Place(index));
  }
  size_t size() const { return tokens_.size(); }
  const TokenList& tokens() const { return tokens_; }
  int64_t heap_bytes() const {
    return tokens_.heap_bytes() + HeapBytes(tags_) + HeapBytes(low_) +
           HeapBytes(high_);
  }

  static constexpr uint64_t kEmptyHash = 0x243f6a8885a308d3u;
  static uint64_t Extend(uint64_t hash, char c) {
    return (hash ^ static_cast<uint8_t>(c)) * 0x9e3779b97f4a7c15u;
  }
  static uint64_t HashOf(std::string_view text);

 private:
  static size_t Place(int32_t index) { return static_cast<size_t>(index); }
  size_t SlotOf(uint64_t hash) const {
    return (hash >> 32) * tags_.size() >> 32;
  }
  size_t After(size_t slot) const {
    return slot + 1 == tags_.size() ? 0 : slot + 1;
  }
  // Hash bits beside those that pick the slot, never 0.
  static uint8_t TagOf(uint64_t hash) {
    const auto tag = static_cast<uint8_t>(hash >> 24);
    return tag == 0 ? 1 : tag;
  }
  int32_t EntryAt(size_t slot) const {
    return static_cast<int32_t>(
        low_[slot] | (high_.empty() ? 0u : uint32_t{high_[slot]} << 16));
  }
  void Insert(uint64_t hash, size_t entry);

  TokenList tokens_;
  // By slot, two thirds of which are taken: tag (0: free) and entry.
  std::vector<uint8_t> tags_;
  std::vector<uint16_t> low_;
  std::vector<uint16_t> high_;  // empty while 16 bits do
};

}  // namespace stint
