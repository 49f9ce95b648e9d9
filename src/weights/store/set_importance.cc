#include "weights/store/set_importance.h"

#include "core/platform/file.h"
#include "weights/store/catalog_codec.h"
#include "weights/store/section_writer.h"

namespace stint {
namespace {

// Copied in pieces that the process need not keep.
constexpr size_t kPieceBytes = 1 << 20;

Status Copy(const MappedFile& file, const store::Section& section,
            store::SectionWriter* to) {
  const auto bytes = file.bytes().subspan(section.offset, section.bytes);
  if (!store::HasOwnChecksums(section.kind)) {
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

Result<int64_t> SetImportance(const std::string& path,
                              const ShardCatalog& catalog) {
  STINT_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  auto sections = store::ReadSections(file->bytes());
  if (!sections.ok()) return sections.status().Annotate(path);
  STINT_ASSIGN_OR_RETURN(auto writer, store::SectionWriter::Create(path));
  for (const store::Section& section : *sections) {
    if (section.kind == store::SectionKind::kImportance) continue;
    STINT_RETURN_IF_ERROR(Copy(*file, section, &writer));
  }
  STINT_RETURN_IF_ERROR(writer.Add(store::SectionKind::kImportance,
                                   store::EncodeImportance(catalog)));
  return writer.Finish(store::kVersion);
}

}  // namespace stint
