#include "core/platform/memory/executable_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/checked_math.h"

namespace stint {

Result<ExecutableMemory> ExecutableMemory::Make(std::span<const uint8_t> code) {
  ExecutableMemory memory;
  const auto page = static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  const auto bytes =
      static_cast<size_t>(RoundUp(static_cast<int64_t>(code.size()) + 1, page));
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    return ResourceExhausted("no memory for " + std::to_string(bytes) +
                             " bytes of generated code");
  }
  memory.data_ = static_cast<const uint8_t*>(data);
  memory.bytes_ = bytes;
  std::memcpy(data, code.data(), code.size());
  if (mprotect(data, bytes, PROT_READ | PROT_EXEC) != 0) {
    return Unsupported(std::string("the system refuses executable memory (") +
                       std::strerror(errno) + ")");
  }
  return memory;
}

ExecutableMemory::~ExecutableMemory() {
  if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), bytes_);
}

ExecutableMemory::ExecutableMemory(ExecutableMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

ExecutableMemory& ExecutableMemory::operator=(
    ExecutableMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace stint
