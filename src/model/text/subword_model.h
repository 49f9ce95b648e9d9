#pragma once
// What turns plain text into token ids: WordPiece or byte-level BPE together
// with their normalization and their split into words.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/text/token_list.h"

namespace stint {

// Immutable; every member may be called from any number of threads.
class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  // Appends the ids of `text`, in which added tokens are not looked for.
  // Bytes that are not valid UTF-8 never fail.
  virtual void Append(std::string_view text,
                      std::vector<int32_t>* ids) const = 0;

  // The id of one token as the vocabulary file writes it.
  virtual std::optional<int32_t> Find(std::string_view token) const = 0;

  // Text as added tokens that ask for it are matched in.
  virtual std::string Normalize(std::string_view text) const = 0;

  // The largest id and one.
  virtual int64_t vocabulary_size() const = 0;

  // What its tables take of the heap.
  virtual int64_t heap_bytes() const = 0;
};

}  // namespace stint
