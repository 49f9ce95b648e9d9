// Any bytes as tokenizer.json must give a tokenizer or an error, and any
// tokenizer must take any text.

#include <cstddef>
#include <cstdint>

#include "model/text/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto tokenizer = stint::ReadTokenizerJson(input);
  if (!tokenizer.ok()) return 0;
  constexpr std::string_view kText =
      "The caf\xc3\xa9's [MASK] \xe4\xb8\xad\xe6\x96\x87 <mask> 3.14!  \xf0\x9f"
      "\x98\x80\xff\xc3 e\xcc\x81 aaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  (*tokenizer)->Encode(kText);
  (*tokenizer)->Encode(input, kText, {.max_length = 7, .pad_to = 9});
  return 0;
}
