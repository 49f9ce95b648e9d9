#pragma once
// Measurements of one machine in a text file of the user's cache folder. A file
// that is damaged or belongs to another machine is refused, never believed.

#include <string>
#include <string_view>

#include "core/platform/cpu_info.h"
#include "stint/status.h"

namespace stint {

// Grows when kernels change so much that what was measured no longer holds.
inline constexpr int kKernelVersion = 1;

// What measured times depend on.
struct MachineKey {
  std::string cpu;
  int cores = 1;
  Isa isa = Isa::kBaseline;  // the cap in force
  int threads = 1;

  static MachineKey Here(Isa isa, int threads);
  // One line, with the version of the kernels.
  std::string ToString() const;
};

class MachineCache {
 public:
  // In `folder`; `kind` tells files apart: "profile", "conv".
  MachineCache(std::string_view folder, std::string_view kind,
               const MachineKey& key);
  // For what depends on something else: `key` is one line that says on what.
  MachineCache(std::string_view folder, std::string_view kind,
               const std::string& key);

  const std::string& path() const { return path_; }

  // What Write was given. kNotFound when there is no file, kDamaged with
  // the reason when it cannot be used.
  Result<std::string> Read() const;
  // `body` is lines of text; the folder is made where it is missing.
  Status Write(std::string_view body) const;

 private:
  std::string head_;  // the lines a file of this kind and machine begins with
  std::string path_;
};

}  // namespace stint
