#include "core/platform/memory/reserved_pages.h"

#include <sys/mman.h>

#include <string>
#include <utility>

#include "core/base/checked_math.h"

namespace stint {
namespace {

constexpr int64_t kPage = 4096;

}  // namespace

Result<ReservedPages> ReservedPages::Reserve(int64_t bytes) {
  ReservedPages pages;
  if (bytes <= 0) return pages;
  void* at = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    return ResourceExhausted("no address space for " + std::to_string(bytes) +
                             " bytes");
  }
  madvise(at, static_cast<size_t>(bytes), MADV_NOHUGEPAGE);
  pages.data_ = static_cast<uint8_t*>(at);
  pages.bytes_ = bytes;
  return pages;
}

ReservedPages::~ReservedPages() {
  if (data_ != nullptr) munmap(data_, static_cast<size_t>(bytes_));
}

ReservedPages::ReservedPages(ReservedPages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

ReservedPages& ReservedPages::operator=(ReservedPages&& other) noexcept {
  if (data_ != nullptr) munmap(data_, static_cast<size_t>(bytes_));
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void ReservedPages::Discard(int64_t offset, int64_t bytes) {
  const int64_t begin = RoundUp(offset, kPage);
  const int64_t end = (offset + bytes) / kPage * kPage;
  if (begin >= end) return;
  madvise(data_ + begin, static_cast<size_t>(end - begin), MADV_DONTNEED);
}

}  // namespace stint
