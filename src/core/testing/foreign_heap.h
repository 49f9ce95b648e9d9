#pragma once
// Whether sanitizers bring a heap of their own, which keeps what was freed:
// resident bytes then say nothing of the code under test.

namespace stint {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kForeignHeap = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kForeignHeap = true;
#else
constexpr bool kForeignHeap = false;
#endif
#else
constexpr bool kForeignHeap = false;
#endif

}  // namespace stint
