// open_memory PACKAGE [TEXT]: how much memory the process has needed so far
// (VmHWM) and needs now (VmRSS), in kB, after each step of opening an elastic
// package without its weights.

#include <cstdio>

#include "core/platform/clock.h"
#include "core/platform/memory/memory.h"
#include "core/platform/memory/program_pages.h"
#include "weights/store/package_file.h"

namespace {

void Print(const char* step) {
  std::printf("%-28s  VmHWM %5lld  VmRSS %5lld  %.2f ms\n", step,
              static_cast<long long>(stint::PeakResidentBytes() / 1024),
              static_cast<long long>(stint::ResidentBytes() / 1024),
              stint::MsSinceProcessStart());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: open_memory PACKAGE [TEXT]\n");
    return 2;
  }
  Print("start");
  stint::KeepHeapSmall();
  stint::ReleaseProgramPages();
  Print("program released");
  const auto package = stint::ReadPackage(argv[1]);
  if (!package.ok()) {
    std::fprintf(stderr, "%s\n", package.status().message().c_str());
    return 1;
  }
  Print("graph, tokenizer, catalog");
  stint::ReleaseProgramPages();
  stint::ReleaseFreeHeap();
  Print("program released");
  if (package->tokenizer != nullptr) {
    const char* text = argc > 2 ? argv[2] : "a gripping, funny film";
    const auto encoding = package->tokenizer->Encode(text);
    std::printf("%zu tokens\n", encoding.ids.size());
    Print("text encoded");
  }
  return 0;
}
