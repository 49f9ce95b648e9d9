#include "model/text/vocabulary.h"

#include <algorithm>
#include <bit>

namespace stint {

Vocabulary::Vocabulary(size_t count, size_t text_bytes)
    : slots_(std::bit_ceil(std::max<size_t>(2 * count, 2))),
      shift_(64 - std::countr_zero(slots_.size())) {
  entries_.reserve(count);
  text_.reserve(text_bytes);
}

uint64_t Vocabulary::HashOf(std::string_view text) {
  uint64_t hash = kEmptyHash;
  for (const char c : text) hash = Extend(hash, c);
  return hash;
}

int32_t Vocabulary::Find(std::string_view text, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = SlotOf(hash);; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.entry == kNone) return kNone;
    if (slot.tag != TagOf(hash)) continue;
    if (this->text(slot.entry) == text) return slot.entry;
  }
}

bool Vocabulary::Add(std::string_view text, int32_t id) {
  const uint64_t hash = HashOf(text);
  if (Find(text, hash) != kNone) return false;
  const size_t mask = slots_.size() - 1;
  size_t i = SlotOf(hash);
  while (slots_[i].entry != kNone) i = (i + 1) & mask;
  slots_[i] = {TagOf(hash), static_cast<int32_t>(entries_.size())};
  entries_.push_back({static_cast<uint32_t>(text_.size()),
                      static_cast<uint32_t>(text.size()), id});
  text_ += text;
  longest_ = std::max(longest_, text.size());
  return true;
}

}  // namespace stint
