#pragma once
// STINT_FOREIGN_HEAP is defined where sanitizers bring a heap of their own,
// which keeps what was freed: resident bytes then say nothing of the code under
// test.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STINT_FOREIGN_HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STINT_FOREIGN_HEAP 1
#endif
#endif
