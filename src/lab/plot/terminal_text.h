#pragma once
// Texts in columns of characters, as terminals show them; UTF-8.

#include <cstddef>
#include <string>

namespace stint {

// Fewer columns are not used.
inline constexpr int kLeastColumns = 40;

// Characters, not bytes: continuation bytes do not count.
size_t WidthOf(const std::string& text);

// With spaces after the text, or before it when `right`.
std::string Padded(const std::string& text, size_t width, bool right = false);

// The first `width` characters; control characters become spaces, since names
// come from files.
std::string Cut(const std::string& text, size_t width);

}  // namespace stint
