#pragma once
// The binary files of CIFAR-10: records of one label byte and 32x32 pixels in
// three planes.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "convert/data/image/image.h"
#include "core/platform/file.h"
#include "stint/status.h"

namespace stint {

// Pictures are made when asked for. A batch that is not compressed stays in its
// file: what was asked for is given back.
class Cifar10 {
 public:
  // A batch file, unpacked if it is .gz or .xz, or the first `most` (0: all) of
  // its records, beyond which nothing is unpacked or looked at. Fails with
  // kDamaged on no records, on a cut-off last record and on labels over 9,
  // naming file and record.
  static Result<Cifar10> Open(const std::string& path, int64_t most = 0);
  // The same of a batch in memory.
  static Result<Cifar10> Decode(std::string bytes);

  size_t size() const;
  int label(size_t i) const;      // 0 to 9
  Image Picture(size_t i) const;  // 32x32

 private:
  Status Check() const;
  std::string_view bytes() const;
  // Bytes of the file before this one are not needed now.
  void Release(size_t end) const;

  // Those of the batch that count.
  size_t most_bytes_ = std::string_view::npos;
  std::string unpacked_;
  std::shared_ptr<const MappedFile> file_;  // instead of unpacked_, or null
};

}  // namespace stint
