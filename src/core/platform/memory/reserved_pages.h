#pragma once
// A range of addresses whose pages take memory only while something is in them.

#include <cstdint>

#include "stint/status.h"

namespace stint {

class ReservedPages {
 public:
  ReservedPages() = default;
  // Aligned to a page and filled with zeros. Huge pages are not used: they
  // would take memory for neighbors that nobody touched.
  static Result<ReservedPages> Reserve(int64_t bytes);
  ~ReservedPages();
  ReservedPages(ReservedPages&& other) noexcept;
  ReservedPages& operator=(ReservedPages&& other) noexcept;

  uint8_t* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  // Gives the pages wholly within [offset, offset + bytes) back; they read as
  // zeros again.
  void Discard(int64_t offset, int64_t bytes);

 private:
  uint8_t* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace stint
