#pragma once
// Weights in safetensors files, one or several parts behind an index. Tensors
// refer to the mapped file and are read-only.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/platform/file.h"
#include "stint/status.h"
#include "stint/tensor.h"

namespace stint {

class Safetensors {
 public:
  // model.safetensors of a folder, or else the parts that its
  // model.safetensors.index.json names; kNotFound when it has neither.
  static Result<Safetensors> OpenFolder(const std::string& folder);
  static Result<Safetensors> OpenFile(const std::string& path);
  static Result<Safetensors> OpenIndex(const std::string& path);

  // From bytes of `keep_alive`, or of the caller when it is null; `file` is for
  // messages. Checks everything but the elements: kDamaged when the header, the
  // sizes or the offsets do not fit each other or the file, kUnsupported for
  // element types that stint has not.
  static Result<Safetensors> Read(std::span<const uint8_t> bytes,
                                  const std::string& file,
                                  std::shared_ptr<const MappedFile> keep_alive);

  std::vector<std::string> names() const;  // sorted
  bool Has(const std::string& name) const { return entries_.contains(name); }

  // The tensor, which shares the file's bytes where they are aligned for its
  // element type and is a copy otherwise. It must not be written to. kNotFound
  // for a name that is not there, kDamaged for a bool that is not 0 or 1.
  Result<Tensor> Get(const std::string& name) const;

 private:
  struct Entry {
    DType dtype = DType::kFloat32;
    Shape shape;
    std::span<const uint8_t> bytes;
    std::shared_ptr<const std::string> file;
    std::shared_ptr<const MappedFile> keep_alive;
  };

  std::string source_;  // what messages call the whole
  std::map<std::string, Entry> entries_;
};

}  // namespace stint
