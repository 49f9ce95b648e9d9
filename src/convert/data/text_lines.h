#pragma once
// Plain lines of text as a data set: no header, no labels.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "convert/data/glue.h"

namespace stint {

// A text per line, or two with a tab between them; empty lines do not count,
// and no more than `max_rows` (0: all) are taken. kDamaged when there is no
// line with text, or one has more than one tab.
Result<std::vector<TextExample>> ParseTextLines(std::string_view content,
                                                int64_t max_rows);

// The same of a file, which may be compressed. Errors name it.
Result<std::vector<TextExample>> ReadTextLines(const std::string& path,
                                               int64_t max_rows);

}  // namespace stint
