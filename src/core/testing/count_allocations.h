#pragma once
// Counts every operator new of a program. Included by one file of a test
// program, whose operators these are.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace stint {

inline std::atomic<int64_t> allocations{0};

}  // namespace stint

// GCC warns of std::free on what comes from the operators below, which it takes
// for the standard ones.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(size_t size) {
  stint::allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void* operator new(size_t size, std::align_val_t alignment) {
  stint::allocations.fetch_add(1, std::memory_order_relaxed);
  const size_t step = static_cast<size_t>(alignment);
  void* memory = std::aligned_alloc(step, (size + step - 1) / step * step);
  if (memory != nullptr) return memory;
  std::abort();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return operator new(size);
}
void* operator new(size_t size, std::align_val_t alignment,
                   const std::nothrow_t&) noexcept {
  return operator new(size, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}
