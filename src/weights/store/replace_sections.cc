#include "weights/store/replace_sections.h"

#include <algorithm>

#include "core/platform/file.h"
#include "weights/store/package_file.h"
#include "weights/store/section_writer.h"

namespace stint::store {
namespace {

// Copied in pieces that the process need not keep.
constexpr size_t kPieceBytes = 1 << 20;

Status Copy(const MappedFile& file, const Section& section, SectionWriter* to) {
  const auto bytes = file.bytes().subspan(section.offset, section.bytes);
  if (!HasOwnChecksums(section.kind)) {
    return to->Add(section.kind,
                   {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  STINT_RETURN_IF_ERROR(to->Begin(section.kind));
  for (size_t at = 0; at < bytes.size(); at += kPieceBytes) {
    const auto piece =
        bytes.subspan(at, std::min(kPieceBytes, bytes.size() - at));
    STINT_RETURN_IF_ERROR(to->Append(
        {reinterpret_cast<const char*>(piece.data()), piece.size()}));
    file.Release(piece);
  }
  to->End();
  return OkStatus();
}

}  // namespace

Result<int64_t> ReplaceSections(const std::string& from, const std::string& to,
                                const std::vector<NewSection>& sections) {
  STINT_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(from));
  const auto present = ReadSections(file->bytes());
  if (!present.ok()) return present.status().Annotate(from);
  STINT_ASSIGN_OR_RETURN(auto writer, SectionWriter::Create(to));
  for (const Section& section : *present) {
    const bool replaced = std::any_of(
        sections.begin(), sections.end(),
        [&](const NewSection& s) { return s.kind == section.kind; });
    if (!replaced) STINT_RETURN_IF_ERROR(Copy(*file, section, &writer));
  }
  for (const NewSection& section : sections) {
    if (section.contents.empty()) continue;
    STINT_RETURN_IF_ERROR(writer.Add(section.kind, section.contents));
  }
  return writer.Finish(kVersion);
}

}  // namespace stint::store
