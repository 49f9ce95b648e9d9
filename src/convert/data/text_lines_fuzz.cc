// Parses arbitrary bytes as lines of text; the first byte says how many.

#include <cstdint>
#include <cstdlib>

#include "convert/data/text_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto lines = stint::ParseTextLines(
      {reinterpret_cast<const char*>(data) + 1, size - 1}, data[0]);
  if (lines.ok() && lines->empty()) std::abort();
  return 0;
}
