#pragma once
// Unpacks compressed bytes as they are read.

#include <memory>

#include "convert/data/byte_stream.h"

namespace stint {

// The content of packed bytes; several concatenated streams are one content.
// Reading fails with kDamaged where they are corrupt or end early. A checksum
// at their end is compared when that end has been reached. Unpacking gzip takes
// 60 KB of memory; xz takes as much as its preset says (8 MB by default, and
// kResourceExhausted beyond 128 MB).
Result<std::unique_ptr<ByteStream>> GzipContent(
    std::unique_ptr<ByteStream> packed);
Result<std::unique_ptr<ByteStream>> XzContent(
    std::unique_ptr<ByteStream> packed);

}  // namespace stint
