#include "model/text/token_list.h"

#include <numeric>

namespace stint {

void TokenList::Add(std::string_view text, int32_t id) {
  if (size_ % kStep == 0) {
    places_.push_back(static_cast<uint32_t>(texts_.size()));
  }
  size_t length = text.size();
  for (; length >= 0x80; length >>= 7) {
    texts_ += static_cast<char>(length | 0x80);
  }
  texts_ += static_cast<char>(length);
  texts_ += text;
  if (ids_.empty() && static_cast<size_t>(id) != size_) {
    ids_.resize(size_);
    std::iota(ids_.begin(), ids_.end(), 0);
    ids_.push_back(id);
  } else if (!ids_.empty()) {
    ids_.push_back(id);
  }
  ++size_;
}

std::string_view TokenList::TextAt(size_t place) const {
  size_t length = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<uint8_t>(texts_[place++]);
    length |= static_cast<size_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return std::string_view(texts_).substr(place, length);
}

std::string_view TokenList::text(size_t index) const {
  size_t place = places_[index / kStep];
  for (size_t i = index % kStep; i > 0; --i) place = EndOf(place);
  return TextAt(place);
}

}  // namespace stint
