#pragma once
// A made-up /sys or /proc for tests of what reads it.

#include <filesystem>
#include <fstream>
#include <string>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"

namespace stint {

class SystemTree {
 public:
  // Writes a file below the root, with its folders. Readers see the old or the
  // new text, never a part.
  void Write(const std::string& path, const std::string& text) const {
    namespace fs = std::filesystem;
    const fs::path full = root() + path;
    fs::create_directories(full.parent_path());
    const fs::path partial = full.string() + ".partial";
    std::ofstream(partial) << text << "\n";
    fs::rename(partial, full);
  }
  // A folder in the place of a file: opening works, reading fails, for root
  // too.
  void MakeUnreadable(const std::string& path) const {
    std::filesystem::create_directories(root() + path);
  }
  const std::string& root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_ = TemporaryFolder::Make().value();
};

}  // namespace stint
