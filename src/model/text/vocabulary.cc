#include "model/text/vocabulary.h"

#include "model/text/json_node.h"

namespace stint {

Vocabulary::Vocabulary(size_t count)
    : tags_(count + count / 2 + 1),
      low_(tags_.size()),
      high_(count > 0x10000 ? tags_.size() : 0) {}

uint64_t Vocabulary::HashOf(std::string_view text) {
  uint64_t hash = kEmptyHash;
  for (const char c : text) hash = Extend(hash, c);
  return hash;
}

int32_t Vocabulary::Find(std::string_view text, uint64_t hash,
                         std::string_view prefix) const {
  const uint8_t tag = TagOf(hash);
  for (size_t i = SlotOf(hash); tags_[i] != 0; i = After(i)) {
    if (tags_[i] != tag) continue;
    const int32_t entry = EntryAt(i);
    const std::string_view found = this->text(entry);
    if (found.size() == prefix.size() + text.size() &&
        found.starts_with(prefix) && found.ends_with(text)) {
      return entry;
    }
  }
  return kNone;
}

void Vocabulary::Insert(uint64_t hash, size_t entry) {
  size_t i = SlotOf(hash);
  while (tags_[i] != 0) i = After(i);
  tags_[i] = TagOf(hash);
  low_[i] = static_cast<uint16_t>(entry);
  if (!high_.empty()) high_[i] = static_cast<uint16_t>(entry >> 16);
}

bool Vocabulary::Add(std::string_view text, int32_t id) {
  const uint64_t hash = HashOf(text);
  if (Find(text, hash, {}) != kNone) return false;
  Insert(hash, tokens_.size());
  tokens_.Add(text, id);
  return true;
}

Result<Vocabulary> Vocabulary::Of(TokenList tokens) {
  Vocabulary vocabulary(tokens.size());
  vocabulary.tokens_ = std::move(tokens);
  size_t index = 0;
  for (const auto& [text, id] : vocabulary.tokens_) {
    const uint64_t hash = HashOf(text);
    if (vocabulary.Find(text, hash, {}) != kNone) {
      return Damaged("vocabulary: token " + Quoted(text) +
                     ": expected once, found twice");
    }
    vocabulary.Insert(hash, index++);
  }
  return vocabulary;
}

}  // namespace stint
