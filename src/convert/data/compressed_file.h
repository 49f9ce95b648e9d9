#pragma once
// Files that may be compressed: data sets are kept as .gz and .xz.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "convert/data/byte_stream.h"
#include "stint/status.h"

namespace stint {

// Larger than any file of the known data sets; a compressed file that unpacks
// to more is taken for an attack or a mistake.
inline constexpr int64_t kMaxUnpackedBytes = int64_t{1} << 30;

// The content of a file, unpacked when its name ends in .gz or .xz. Fails with
// kDamaged on truncated or corrupt data and with kResourceExhausted when more
// than `max_bytes` come out. Errors name the file.
Result<std::string> ReadMaybeCompressed(const std::string& path,
                                        int64_t max_bytes = kMaxUnpackedBytes);

// The same content bit by bit: only what is being unpacked is in memory. Damage
// and too many bytes are an error of the Read() that comes across them, which
// does not name the file.
Result<std::unique_ptr<ByteStream>> OpenMaybeCompressed(
    const std::string& path, int64_t max_bytes = kMaxUnpackedBytes);

// The first `bytes` (> 0) of that content, or all of it when it is shorter.
// What follows is left packed: damage there is not seen, nor one of the first
// bytes that only a checksum behind them would show.
Result<std::string> ReadFirstBytes(const std::string& path, int64_t bytes);

// The same for data in memory; several concatenated streams are one content.
Result<std::string> UnpackGzip(std::string_view packed, int64_t max_bytes);
Result<std::string> UnpackXz(std::string_view packed, int64_t max_bytes);

}  // namespace stint
