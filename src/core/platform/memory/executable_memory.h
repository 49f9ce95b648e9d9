#pragma once
// Machine code that was made while the program runs. A page is never writable
// and executable at once: it is written first, then made executable for good.

#include <cstddef>
#include <cstdint>
#include <span>

#include "stint/status.h"

namespace stint {

class ExecutableMemory {
 public:
  ExecutableMemory() = default;
  // A copy of `code`, which must not depend on where it lies. kUnsupported with
  // the reason where the system refuses executable memory.
  static Result<ExecutableMemory> Make(std::span<const uint8_t> code);
  ~ExecutableMemory();
  ExecutableMemory(ExecutableMemory&& other) noexcept;
  ExecutableMemory& operator=(ExecutableMemory&& other) noexcept;

  const uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  const uint8_t* data_ = nullptr;
  size_t bytes_ = 0;  // whole pages
};

}  // namespace stint
