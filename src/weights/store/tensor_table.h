#pragma once
// The tensors of a .stint file: what they are and where their elements lie.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/platform/file.h"
#include "stint/tensor.h"

namespace stint::store {

// Collects tensors for writing. Those that share memory are written once.
class TensorTableWriter {
 public:
  uint32_t Add(const Tensor& tensor);

  // The section that describes them.
  std::string Encode() const;
  // The pieces of the data section. Tensors must still be there.
  std::vector<std::string_view> Data() const;
  uint64_t data_bytes() const { return data_bytes_; }

 private:
  struct Entry {
    Tensor tensor;
    std::string text;  // elements of a tensor of strings
    uint64_t offset = 0;
    std::string_view bytes() const;
  };
  std::vector<Entry> entries_;
  uint64_t data_bytes_ = 0;
};

// The way back. Tensors refer to `data`.
class TensorTable {
 public:
  // Checks places, sizes and checksums. `file` holds `data`, or is null when
  // the caller keeps it.
  static Result<TensorTable> Read(std::span<const uint8_t> section,
                                  std::span<const uint8_t> data,
                                  std::shared_ptr<const MappedFile> file);

  Result<Tensor> Get(uint32_t index) const;

 private:
  std::vector<Tensor> tensors_;
};

}  // namespace stint::store
