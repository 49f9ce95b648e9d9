#include "weights/store/format.h"

#include <algorithm>

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
    case SectionKind::kShards:
      return "shards";
    case SectionKind::kRows:
      return "rows";
    case SectionKind::kPlanes:
      return "planes";
    case SectionKind::kRanges:
      return "ranges";
    case SectionKind::kImportance:
      return "importance";
    case SectionKind::kChecks:
      return "checks";
    case SectionKind::kCosts:
      return "costs";
  }
  return "unknown";
}

uint32_t RowChecksum(std::span<const uint8_t> row, uint64_t number) {
  return static_cast<uint32_t>(
      XXH3_64bits_withSeed(row.data(), row.size(), number));
}

uint64_t ChecksumInParts(
    std::span<const uint8_t> bytes,
    FunctionRef<void(std::span<const uint8_t> part)> done) {
  // Little memory at a time, and few calls.
  constexpr size_t kPart = size_t{256} << 10;
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(kPart, bytes.size()));
    XXH3_64bits_update(&state, part.data(), part.size());
    done(part);
    bytes = bytes.subspan(part.size());
  }
  return XXH3_64bits_digest(&state);
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
