#pragma once
// A folder that disappears with everything in it.

#include <string>

#include "stint/status.h"

namespace stint {

class TemporaryFolder {
 public:
  // Under TMPDIR, or /tmp.
  static Result<TemporaryFolder> Make();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace stint
