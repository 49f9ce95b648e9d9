#pragma once
// A package as a .stint file (weights/store/format.h).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/platform/file.h"
#include "weights/package/package.h"
#include "weights/store/format.h"

namespace stint {

// Writes the package to a temporary file, syncs it and renames it to `path`.
// Returns its bytes.
Result<int64_t> WritePackage(const Package& package, const std::string& path);

// The file begins like a .stint file.
bool IsPackageFile(const std::string& path);

// Maps the file; tensors refer to it. Everything but planes and rows, which
// are checked as they are read, is checked first: kDamaged names the file, the
// section and the offset of what does not fit, kUnsupported a version that is
// newer than this program.
Result<Package> ReadPackage(const std::string& path);

// The same of bytes that `file` holds, or, when it is null, that the caller
// keeps. Messages do not name the file.
Result<Package> ReadPackageBytes(std::span<const uint8_t> bytes,
                                 std::shared_ptr<const MappedFile> file);

namespace store {

struct Section {
  SectionKind kind;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t checksum = 0;
};

// The section table, checked against the file.
Result<std::vector<Section>> ReadSections(std::span<const uint8_t> file);

}  // namespace store
}  // namespace stint
