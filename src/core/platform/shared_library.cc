#include "core/platform/shared_library.h"

#include <sys/auxv.h>

// Weak, so that a static program neither links the loader nor is warned of it:
// there they are null.
extern "C" {
void* dlopen(const char* file, int mode) noexcept __attribute__((weak));
void* dlsym(void* handle, const char* name) noexcept __attribute__((weak));
char* dlerror() noexcept __attribute__((weak));
}

namespace stint {
namespace {

constexpr int kLazyLocal = 1;  // RTLD_LAZY | RTLD_LOCAL on Linux

}  // namespace

// A program without an interpreter has no base address of one.
bool CanLoadLibraries() {
  return dlopen != nullptr && dlsym != nullptr && getauxval(AT_BASE) != 0;
}

Result<SharedLibrary> SharedLibrary::Open(const std::string& name) {
  if (!CanLoadLibraries()) {
    return Unsupported(name + ": this program is linked statically");
  }
  void* handle = dlopen(name.c_str(), kLazyLocal);
  if (handle == nullptr) {
    const char* reason = dlerror != nullptr ? dlerror() : nullptr;
    return NotFound(reason != nullptr ? reason : name + ": cannot be loaded");
  }
  return SharedLibrary(handle);
}

void* SharedLibrary::Find(const std::string& symbol) const {
  return dlsym(handle_, symbol.c_str());
}

}  // namespace stint
