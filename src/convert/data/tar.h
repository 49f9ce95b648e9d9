#pragma once
// Reads the regular files of a tar archive in memory (ustar and GNU).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/function_ref.h"
#include "stint/status.h"

namespace stint {

struct TarEntry {
  std::string name;
  std::span<const uint8_t> content;  // points into the archive
};

// The regular files in archive order; folders, links and extension records are
// left out. Fails with kDamaged, naming the offset, on a wrong checksum, on an
// entry that is cut off and on an archive without its closing block of zeros.
Result<std::vector<TarEntry>> ReadTar(std::span<const uint8_t> archive);

// The same; `passed` is told after each entry how many bytes of the archive lie
// behind, so that a mapped one can be given back on the way.
Result<std::vector<TarEntry>> ReadTar(std::span<const uint8_t> archive,
                                      FunctionRef<void(size_t)> passed);

}  // namespace stint
