#pragma once
// Reads by threads that call pread, where io_uring is missing or forbidden, as
// in most containers.

#include <memory>
#include <string>

#include "core/io/block_reader.h"

namespace stint {

// `threads` reads are under way at once, `depth` may wait or be under way.
Result<std::unique_ptr<BlockReader>> OpenPreadReader(const std::string& path,
                                                     int depth, int threads);

}  // namespace stint
