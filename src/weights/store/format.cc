#include "weights/store/format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace stint::store {

std::string_view SectionName(SectionKind kind) {
  switch (kind) {
    case SectionKind::kGraph:
      return "graph";
    case SectionKind::kAbout:
      return "about";
    case SectionKind::kTokenizer:
      return "tokenizer";
    case SectionKind::kTensors:
      return "tensors";
    case SectionKind::kData:
      return "data";
  }
  return "unknown";
}

uint64_t Checksum(std::span<const uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

uint64_t PaddedChecksum(std::string_view bytes, size_t alignment) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, bytes.data(), bytes.size());
  for (size_t end = bytes.size(); end % alignment != 0; ++end) {
    XXH3_64bits_update(&state, "", 1);
  }
  return XXH3_64bits_digest(&state);
}

}  // namespace stint::store
