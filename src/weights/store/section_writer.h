#pragma once
// Writes the sections of a .stint file one after the other, and the header that
// lists them when they are complete.

#include <string>
#include <string_view>
#include <vector>

#include "core/platform/file.h"
#include "weights/store/package_file.h"

namespace stint::store {

class SectionWriter {
 public:
  static Result<SectionWriter> Create(const std::string& path);

  // A section whose checksum is in the table.
  Status Add(SectionKind kind, std::string_view content);
  // A section that has checksums of its own, in as many pieces as it takes.
  Status Begin(SectionKind kind);
  Status Append(std::string_view piece) { return file_.Append(piece); }
  // Ends the section that Begin() began.
  void End();

  // Bytes in the file so far.
  int64_t bytes() const { return file_.bytes(); }
  // Writes the header and puts the file in its place. Returns its bytes.
  Result<int64_t> Finish(uint32_t version);

 private:
  explicit SectionWriter(AtomicFile file) : file_(std::move(file)) {}
  // Zeros up to where a section may begin.
  Status Align();

  AtomicFile file_;
  std::vector<Section> sections_;
};

}  // namespace stint::store
