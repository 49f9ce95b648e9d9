#pragma once
// Reads through io_uring: the kernel works on all of them at once, and a batch
// costs no thread.

#include <memory>
#include <string>

#include "core/io/block_reader.h"

namespace stint {

// kUnsupported where the system has no io_uring or forbids it.
Result<std::unique_ptr<BlockReader>> OpenUringReader(const std::string& path,
                                                     int depth);

}  // namespace stint
