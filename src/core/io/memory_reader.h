#pragma once
// Reads from memory instead of a file, done at once.

#include <memory>

#include "core/io/block_reader.h"

namespace stint {

// `bytes` outlives the reader.
std::unique_ptr<BlockReader> MakeMemoryReader(std::span<const uint8_t> bytes,
                                              int depth);

}  // namespace stint
