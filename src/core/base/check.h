#pragma once
// STINT_CHECK stops the program on a violated invariant of our own code. Never
// used for anything that a file, a model or a caller can cause.

namespace stint {

[[noreturn]] void CheckFailed(const char* file, int line, const char* what);

}  // namespace stint

#define STINT_CHECK(condition)                              \
  do {                                                      \
    if (!(condition)) [[unlikely]]                          \
      ::stint::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)
