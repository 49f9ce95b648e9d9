#pragma once
// The split of GPT-2's byte-level tokenizers into words, by hand:
// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

#include <cstddef>
#include <string_view>

namespace stint {

// Where the word that starts at `pos` ends; `pos` must be below text.size().
// A byte that is not valid UTF-8 counts as a symbol.
size_t EndOfByteLevelWord(std::string_view text, size_t pos);

}  // namespace stint
