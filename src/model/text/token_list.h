#pragma once
// Tokens with their ids in little memory: one block of text, a place for every
// other token, and ids only where they do not count up from 0.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/heap_bytes.h"

namespace stint {

class TokenList {
 public:
  // A token as a vocabulary file writes it and its id (not negative). All texts
  // together have fewer than 2^32 bytes.
  void Add(std::string_view text, int32_t id);

  size_t size() const { return size_; }
  std::string_view text(size_t index) const;
  int64_t heap_bytes() const {
    return HeapBytes(texts_) + HeapBytes(places_) + HeapBytes(ids_);
  }
  int32_t id(size_t index) const {
    return ids_.empty() ? static_cast<int32_t>(index) : ids_[index];
  }

  // In the order of addition: for (const auto& [text, id] : tokens).
  class Iterator {
   public:
    Iterator(const TokenList* list, size_t index, size_t place)
        : list_(list), index_(index), place_(place) {}
    std::pair<std::string_view, int32_t> operator*() const {
      return {list_->TextAt(place_), list_->id(index_)};
    }
    Iterator& operator++() {
      place_ = list_->EndOf(place_);
      ++index_;
      return *this;
    }
    bool operator!=(const Iterator& other) const {
      return index_ != other.index_;
    }

   private:
    const TokenList* list_;
    size_t index_;
    size_t place_;
  };
  Iterator begin() const { return {this, 0, 0}; }
  Iterator end() const { return {this, size_, 0}; }

 private:
  // Of a text: its length, seven bits to a byte and the lowest first, and then
  // its bytes.
  std::string_view TextAt(size_t place) const;
  size_t EndOf(size_t place) const {
    const std::string_view text = TextAt(place);
    return static_cast<size_t>(text.data() - texts_.data()) + text.size();
  }

  // From one token whose place is known to the next. Encoding takes 7 % longer
  // with 2 than with 1, and 35 % with 4 (tokenizer_bench).
  static constexpr size_t kStep = 2;

  std::string texts_;
  std::vector<uint32_t> places_;  // of tokens 0, kStep, 2 * kStep, ...
  std::vector<int32_t> ids_;      // empty: 0, 1, 2, ...
  size_t size_ = 0;
};

}  // namespace stint
