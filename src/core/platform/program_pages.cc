#include "core/platform/program_pages.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace stint {
namespace {

// How much is mapped around a touched page at most: large enough that code
// which runs together comes in a few faults, small enough that its neighbors
// stay away.
constexpr uintptr_t kPieceBytes = 16 << 10;
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

// Of one loaded object. Segments that may be written have values of their own.
int ReleaseObject(dl_phdr_info* object, size_t, void* cut) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const Pages pages = PagesOf(*object, segment);
    if (*static_cast<bool*>(cut)) CutIntoPieces(pages);
    madvise(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin,
            MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void ReleaseProgramPages() {
  static bool first = true;
  bool cut = first;
  first = false;
  dl_iterate_phdr(ReleaseObject, &cut);
}

void KeepHeapSmall() {
  mallopt(M_MMAP_THRESHOLD, kHeapBlockBytes);
  mallopt(M_TRIM_THRESHOLD, kHeapBlockBytes);
  mallopt(M_TOP_PAD, 0);
  mallopt(M_ARENA_MAX, 1);
}

void ReleaseFreeHeap() { malloc_trim(0); }

}  // namespace stint
