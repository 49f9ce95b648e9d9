#pragma once
// Shared libraries that are looked for while the program runs.

#include <string>

#include "stint/status.h"

namespace stint {

// There is a dynamic loader: this program is not linked statically.
bool CanLoadLibraries();

// Stays loaded until the process ends: drivers do not like to be unloaded.
class SharedLibrary {
 public:
  // `name` is a file name that the loader searches for, or a path. kNotFound
  // when there is none; kUnsupported in a program without a dynamic loader (the
  // static command line): there a library would bring a second libc along.
  static Result<SharedLibrary> Open(const std::string& name);

  // Null when the library has no such symbol.
  void* Find(const std::string& symbol) const;

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  void* handle_;
};

}  // namespace stint
