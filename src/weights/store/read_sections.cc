#include <algorithm>
#include <set>

#include "core/base/byte_reader.h"
#include "core/platform/file.h"
#include "weights/store/package_file.h"

namespace stint::store {
namespace {

Status CheckHeader(std::span<const uint8_t> file, size_t* sections,
                   uint32_t* found_version) {
  if (file.size() < kHeaderBytes ||
      !std::equal(
          kMagic.begin(), kMagic.end(), file.begin(),
          [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; })) {
    return Damaged("is not a .stint file: " +
                   std::string(file.size() < kHeaderBytes
                                   ? "shorter than a header"
                                   : "wrong first bytes"));
  }
  ByteReader in(file.subspan(kMagic.size()));
  const auto version = in.Get<uint32_t>();
  *found_version = version;
  *sections = in.Get<uint32_t>();
  const auto file_bytes = in.Get<uint64_t>();
  const auto table_checksum = in.Get<uint64_t>();
  if (in.Get<uint64_t>() != Checksum(file.first(kHeaderChecksumAt))) {
    return Damaged("header: checksum does not fit");
  }
  if (version > kVersion) {
    return Unsupported("is of version " + std::to_string(version) +
                       ", this program reads up to " +
                       std::to_string(kVersion));
  }
  if (version == 0) return Damaged("header: version 0");
  if (version != kVersion && version != kPlainVersion) {
    return Unsupported("is of version " + std::to_string(version) +
                       ", which this program no longer reads; pack it again");
  }
  if (file_bytes != file.size()) {
    return Damaged("has " + std::to_string(file.size()) +
                   " bytes, its header says " + std::to_string(file_bytes));
  }
  const auto zeros =
      file.subspan(kHeaderChecksumAt + 8, kHeaderBytes - kHeaderChecksumAt - 8);
  if (std::any_of(zeros.begin(), zeros.end(), [](uint8_t b) { return b; })) {
    return Damaged("header: does not end with zeros");
  }
  if (*sections > (file.size() - kHeaderBytes) / kEntryBytes) {
    return Damaged("header: says " + std::to_string(*sections) + " sections");
  }
  if (Checksum(file.subspan(kHeaderBytes, *sections * kEntryBytes)) !=
      table_checksum) {
    return Damaged("section table: checksum does not fit");
  }
  return OkStatus();
}

Status CheckZeros(std::span<const uint8_t> file, uint64_t begin, uint64_t end) {
  for (uint64_t i = begin; i < end; ++i) {
    if (file[i] != 0) {
      return Damaged("byte " + std::to_string(i) +
                     " between sections is not zero");
    }
  }
  return OkStatus();
}

// All but planes and rows, which are not read through the mapping, is wanted
// now, or one after the other.
void ReadSoon(const Section& section, std::span<const uint8_t> bytes) {
  constexpr size_t kMuch = 4 << 20;
  if (section.kind == SectionKind::kPlanes ||
      section.kind == SectionKind::kRows) {
    return;
  }
  if (bytes.size() < kMuch) {
    ReadAhead(bytes);
  } else {
    ReadAround(bytes);
  }
}

// From `end` of what comes before them.
Status CheckContents(std::span<const uint8_t> file, uint64_t end,
                     const std::vector<Section>& sections) {
  for (const Section& section : sections) {
    STINT_RETURN_IF_ERROR(CheckZeros(file, end, section.offset));
    end = section.offset + section.bytes;
    const auto bytes = file.subspan(section.offset, section.bytes);
    if (!HasOwnChecksums(section.kind) && Checksum(bytes) != section.checksum) {
      return Damaged("section '" + std::string(SectionName(section.kind)) +
                     "' at " + std::to_string(section.offset) +
                     ": checksum does not fit");
    }
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<Section>> ReadSections(std::span<const uint8_t> file) {
  size_t count = 0;
  uint32_t version = 0;
  STINT_RETURN_IF_ERROR(CheckHeader(file, &count, &version));
  const SectionKind last =
      version == kPlainVersion ? SectionKind::kData : kLastKind;
  ByteReader in(file.subspan(kHeaderBytes, count * kEntryBytes));
  std::vector<Section> sections(count);
  uint64_t end = kHeaderBytes + count * kEntryBytes;
  for (Section& section : sections) {
    const auto kind = in.Get<uint32_t>();
    in.Get<uint32_t>();
    section.kind = static_cast<SectionKind>(kind);
    section.offset = in.Get<uint64_t>();
    section.bytes = in.Get<uint64_t>();
    section.checksum = in.Get<uint64_t>();
    const std::string name =
        "section '" + std::string(SectionName(section.kind)) + "'";
    if (kind == 0 || kind > static_cast<uint32_t>(last)) {
      return Unsupported("has a section of kind " + std::to_string(kind));
    }
    if (section.offset != NextSection(end) || section.offset > file.size() ||
        section.bytes > file.size() - section.offset) {
      return Damaged(name + " lies at " + std::to_string(section.offset) +
                     " with " + std::to_string(section.bytes) +
                     " bytes, which does not fit");
    }
    ReadSoon(section, file.subspan(section.offset, section.bytes));
    end = section.offset + section.bytes;
  }
  STINT_RETURN_IF_ERROR(
      CheckContents(file, kHeaderBytes + count * kEntryBytes, sections));
  if (end != file.size()) return Damaged("has bytes after its last section");
  std::set<SectionKind> kinds;
  for (const Section& section : sections) kinds.insert(section.kind);
  for (SectionKind kind : {SectionKind::kGraph, SectionKind::kAbout,
                           SectionKind::kTensors, SectionKind::kData}) {
    if (!kinds.contains(kind)) {
      return Damaged("has no section '" + std::string(SectionName(kind)) + "'");
    }
  }
  if (kinds.size() != sections.size()) return Damaged("has a section twice");
  return sections;
}

}  // namespace stint::store
