// Reads arbitrary bytes as a tar archive and touches every content byte.

#include <cstdint>

#include "convert/data/tar.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto entries = stint::ReadTar({data, size});
  if (!entries.ok()) return 0;
  volatile uint8_t sink = 0;
  for (const stint::TarEntry& entry : *entries) {
    for (const uint8_t byte : entry.content) sink = sink ^ byte;
  }
  return 0;
}
