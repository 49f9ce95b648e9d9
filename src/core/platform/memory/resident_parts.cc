#include "core/platform/memory/resident_parts.h"

#include <link.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace stint {
namespace {

struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

// What the file /proc/self/smaps says of one mapping.
struct Mapping : Range {
  bool accessible = false;
  std::string name;
  int64_t resident = 0;
  int64_t written = 0;  // of them, copies of its own
};

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

int AddObject(dl_phdr_info* object, size_t, void* to) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    static_cast<std::vector<Range>*>(to)->push_back(
        {begin, begin + segment.p_memsz});
  }
  return 0;
}

bool Overlap(const Range& a, const Range& b) {
  return a.begin < b.end && b.begin < a.end;
}

// A mapping's first line; false when it is another one.
bool ParseHeader(const char* line, Mapping* mapping) {
  unsigned long begin = 0;
  unsigned long end = 0;
  char rights[5] = "";
  int name_at = 0;
  if (std::sscanf(line, "%lx-%lx %4s %*s %*s %*s %n", &begin, &end, rights,
                  &name_at) < 3 ||
      name_at == 0) {
    return false;
  }
  *mapping = {};
  mapping->begin = begin;
  mapping->end = end;
  mapping->accessible = std::string_view(rights).substr(0, 3) != "---";
  mapping->name = line + name_at;
  while (mapping->name.ends_with('\n')) mapping->name.pop_back();
  return true;
}

// Sorts mappings, which come in the order of their addresses, into parts.
class Sorter {
 public:
  Sorter() { dl_iterate_phdr(AddObject, &objects_); }

  void Add(const Mapping& mapping) {
    int64_t* part = PartOf(mapping);
    if (part == &parts_.program) {
      parts_.variables += mapping.written;
      parts_.program += mapping.resident - mapping.written;
    } else {
      *part += mapping.resident;
    }
    guard_end_ = mapping.accessible ? 0 : mapping.end;
  }
  const ResidentParts& parts() const { return parts_; }

 private:
  int64_t* PartOf(const Mapping& mapping) {
    const std::string_view name = mapping.name;
    for (const Range& object : objects_) {
      if (Overlap(mapping, object)) return &parts_.program;
    }
    if (name == "[heap]") return &parts_.heap;
    // A thread's stack ends in a page that may not be touched.
    const bool anonymous = name.empty() || name.starts_with("[anon");
    if (name == "[stack]" || (anonymous && mapping.begin == guard_end_)) {
      return &parts_.stacks;
    }
    if (name.find("io_uring") != name.npos) return &parts_.rings;
    if (anonymous) return &parts_.blocks;
    const bool in_a_folder = name.starts_with('/') && !name.starts_with("/dev");
    return in_a_folder ? &parts_.files : &parts_.other;
  }

  std::vector<Range> objects_;
  uintptr_t guard_end_ = 0;
  ResidentParts parts_;
};

}  // namespace

Result<ResidentParts> ReadResidentParts() {
  const std::unique_ptr<std::FILE, FileCloser> file(
      std::fopen("/proc/self/smaps", "re"));
  if (file == nullptr) return NotFound("/proc/self/smaps: cannot open");
  Sorter sorter;
  Mapping mapping;
  Mapping next;
  char line[512];
  while (std::fgets(line, sizeof(line), file.get()) != nullptr) {
    long long kib = 0;
    if (std::sscanf(line, "Rss: %lld", &kib) == 1) {
      mapping.resident = kib * 1024;
    } else if (std::sscanf(line, "Anonymous: %lld", &kib) == 1) {
      mapping.written = kib * 1024;
    } else if (ParseHeader(line, &next)) {
      sorter.Add(mapping);
      mapping = next;
    }
  }
  sorter.Add(mapping);
  return sorter.parts();
}

}  // namespace stint
