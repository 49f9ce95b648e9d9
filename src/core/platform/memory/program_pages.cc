#include "core/platform/memory/program_pages.h"

#include <fcntl.h>
#include <link.h>
#include <linux/userfaultfd.h>
#include <malloc.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "core/base/function_ref.h"

namespace stint {
namespace {

// How much is mapped around a touched page at most, where it cannot be that
// page alone: large enough that cutting takes 1.4 ms, small enough that most
// neighbors stay away.
constexpr uintptr_t kPieceBytes = 16 << 10;
// Newer than some headers: Linux 5.11 and 6.7.
constexpr int kUserModeOnly = 1;
constexpr uint64_t kWriteProtectAsync = uint64_t{1} << 15;
constexpr int kHeapBlockBytes = 64 << 10;

struct Pages {
  uintptr_t begin;
  uintptr_t end;
};

Pages PagesOf(const dl_phdr_info& object, const ElfW(Phdr) & segment) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
  return {begin / page * page,
          (begin + segment.p_memsz + page - 1) / page * page};
}

// The system maps what lies around a touched page as far as one mapping goes.
// Pieces that differ in a property which only matters to core dumps, and not to
// them either as code is left out anyway, are mappings of their own.
void CutIntoPieces(const Pages& pages) {
  for (uintptr_t at = pages.begin; at < pages.end; at += 2 * kPieceBytes) {
    const uintptr_t left = pages.end - at;
    madvise(reinterpret_cast<void*>(at),
            left < kPieceBytes ? left : kPieceBytes, MADV_DONTDUMP);
  }
}

// Watches mappings for writes, which nobody wants to know of: what matters is
// that the system maps nothing around a touched page of a watched mapping. It
// needs no rights, but some sandboxes forbid it.
class SinglePages {
 public:
  SinglePages()
      : fd_(static_cast<int>(
            syscall(SYS_userfaultfd, O_CLOEXEC | kUserModeOnly))) {
    uffdio_api api = {};
    api.api = UFFD_API;
    api.features = kWriteProtectAsync;
    if (fd_ < 0 || ioctl(fd_, UFFDIO_API, &api) == 0) return;
    close(fd_);
    fd_ = -1;
  }
  // Until the process ends; false when the system cannot.
  bool Watch(const Pages& pages) const {
    uffdio_register watched = {};
    watched.range = {pages.begin, pages.end - pages.begin};
    watched.mode = UFFDIO_REGISTER_MODE_WP;
    return fd_ >= 0 && ioctl(fd_, UFFDIO_REGISTER, &watched) == 0;
  }

 private:
  int fd_;
};

// Calls `visit` with each segment that may not be written, of all loaded
// objects; those that may have values of their own.
void VisitSegments(FunctionRef<void(const Pages&)> visit) {
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* to) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) {
            continue;
          }
          (*static_cast<FunctionRef<void(const Pages&)>*>(to))(
              PagesOf(*object, segment));
        }
        return 0;
      },
      &visit);
}

}  // namespace

void ReleaseProgramPages() {
  static bool first = true;
  if (first) {
    first = false;
    const SinglePages single;
    VisitSegments([&](const Pages& pages) {
      if (!single.Watch(pages)) CutIntoPieces(pages);
    });
  }
  VisitSegments([](const Pages& pages) {
    madvise(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin,
            MADV_DONTNEED);
  });
}

void KeepHeapSmall() {
  mallopt(M_MMAP_THRESHOLD, kHeapBlockBytes);
  mallopt(M_TRIM_THRESHOLD, kHeapBlockBytes);
  mallopt(M_TOP_PAD, 0);
  mallopt(M_ARENA_MAX, 1);
}

void ReleaseFreeHeap() { malloc_trim(0); }

}  // namespace stint
