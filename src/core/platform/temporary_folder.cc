#include "core/platform/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace stint {

Result<TemporaryFolder> TemporaryFolder::Make() {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  std::string path = (error ? "/tmp" : parent.string()) + "/stint-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return IoError(path + ": cannot make a folder: " + std::strerror(errno));
  }
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")) {}

}  // namespace stint
