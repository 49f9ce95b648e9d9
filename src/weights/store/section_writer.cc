#include "weights/store/section_writer.h"

#include "core/base/byte_writer.h"
#include "core/base/check.h"

namespace stint::store {
Result<SectionWriter> SectionWriter::Create(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::Create(path));
  SectionWriter writer(std::move(file));
  // Room for the header.
  STINT_RETURN_IF_ERROR(writer.Append(std::string(kSectionAlignment, '\0')));
  return writer;
}

Status SectionWriter::Align() {
  const auto end = static_cast<uint64_t>(bytes());
  return Append(std::string(NextSection(end) - end, '\0'));
}

Status SectionWriter::Add(SectionKind kind, std::string_view content) {
  STINT_RETURN_IF_ERROR(Align());
  sections_.push_back({kind, static_cast<uint64_t>(bytes()), content.size(),
                       Checksum(BytesOf(content))});
  return Append(content);
}

Status SectionWriter::Begin(SectionKind kind) {
  STINT_RETURN_IF_ERROR(Align());
  sections_.push_back({kind, static_cast<uint64_t>(bytes()), 0, 0});
  return OkStatus();
}

void SectionWriter::End() {
  Section& section = sections_.back();
  section.bytes = static_cast<uint64_t>(bytes()) - section.offset;
}

Result<int64_t> SectionWriter::Finish(uint32_t version) {
  STINT_CHECK(kHeaderBytes + sections_.size() * kEntryBytes <=
              kSectionAlignment);
  ByteWriter table;
  for (const Section& section : sections_) {
    table.Put(static_cast<uint32_t>(section.kind));
    table.Put(uint32_t{0});
    table.Put(section.offset);
    table.Put(section.bytes);
    table.Put(section.checksum);
  }
  ByteWriter header;
  for (char c : kMagic) header.Put(c);
  header.Put(version);
  header.PutCount(sections_.size());
  header.Put(static_cast<uint64_t>(bytes()));
  header.Put(Checksum(BytesOf(table.bytes())));
  header.Put(Checksum(BytesOf(header.bytes())));
  header.PadTo(kHeaderBytes);
  STINT_RETURN_IF_ERROR(file_.WriteAt(0, header.Take() + table.bytes()));
  STINT_RETURN_IF_ERROR(file_.Commit());
  return bytes();
}

}  // namespace stint::store
