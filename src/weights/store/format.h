#pragma once
// The bytes of a .stint file, as docs/formats/stint.md describes them. Numbers
// are little-endian; a count or the length of a text is a uint32.
//
//   0  magic      8 bytes
//   8  version    uint32
//  12  sections   uint32
//  16  file size  uint64
//  24  checksum   uint64, of the section table
//  32  checksum   uint64, of the 32 bytes before it
//  40  zeros      up to 64
//  64  section table, one entry per section:
//        kind uint32, zero uint32, offset uint64, bytes uint64,
//        checksum uint64 (of the section; 0 where its parts have their own)
// then the sections, each at a multiple of kSectionAlignment, zeros between.
//
// Checksums are XXH3 with 64 bits.

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/checksum.h"
#include "core/base/function_ref.h"

namespace stint::store {

// A stray conversion of line ends damages it visibly.
inline constexpr std::string_view kMagic{"stint\r\n\x1a", 8};
// Files with shards or ranges are of version 3, those without of version 1.
inline constexpr uint32_t kVersion = 3;
inline constexpr uint32_t kPlainVersion = 1;

inline constexpr size_t kHeaderBytes = 64;
inline constexpr size_t kEntryBytes = 32;
// Where the header's own checksum stands.
inline constexpr size_t kHeaderChecksumAt = 32;
// A page, so that sections can be mapped and given back one by one.
inline constexpr size_t kSectionAlignment = 4096;
// Of every tensor in the data section: a cache line and the widest vector.
inline constexpr size_t kTensorAlignment = 64;

enum class SectionKind : uint32_t {
  kGraph = 1,        // values, nodes, packed weights
  kAbout = 2,        // what the outputs mean, labels, preprocessing
  kTokenizer = 3,    // the tokenizer's files, when the model takes text
  kTensors = 4,      // types, places and checksums of tensors
  kData = 5,         // their elements, padded with zeros to kTensorAlignment
  kShards = 6,       // catalog of shards and tables of rows
  kRows = 7,         // tables of rows, each at a multiple of kSectionAlignment
  kPlanes = 8,       // read units, multiples of kSectionAlignment
  kRanges = 9,       // ranges of activations that calibration measured
  kImportance = 10,  // of shards and sub-networks, when it was measured
  kChecks = 11,      // what plans really cost, when that was measured
  kCosts = 12,       // what layers took on some machines
};
inline constexpr SectionKind kLastKind = SectionKind::kCosts;
// Parts of the section have checksums of their own.
inline constexpr bool HasOwnChecksums(SectionKind kind) {
  return kind == SectionKind::kData || kind == SectionKind::kRows ||
         kind == SectionKind::kPlanes;
}
std::string_view SectionName(SectionKind kind);

// Where the section after one that ends at `end` begins.
inline uint64_t NextSection(uint64_t end) {
  return (end + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

inline std::span<const uint8_t> BytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

using stint::Checksum;
// Of a row and its number, so that no row passes for another; 4 bytes that
// follow the row.
uint32_t RowChecksum(std::span<const uint8_t> row, uint64_t number);
// The same a part at a time, each handed to `done` when it has been read.
uint64_t ChecksumInParts(std::span<const uint8_t> bytes,
                         FunctionRef<void(std::span<const uint8_t> part)> done);
// Of the bytes and the zeros that follow up to a multiple of `alignment`.
uint64_t PaddedChecksum(std::string_view bytes, size_t alignment);

}  // namespace stint::store
