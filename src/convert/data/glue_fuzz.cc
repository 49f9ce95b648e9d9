// Parses arbitrary text as a GLUE file; the first byte picks the task.

#include <cstdint>
#include <cstdlib>

#include "convert/data/glue.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int kTasks = 6;
  if (size == 0) return 0;
  const auto rows =
      stint::ParseGlue(static_cast<stint::GlueTask>(data[0] % kTasks),
                       {reinterpret_cast<const char*>(data) + 1, size - 1});
  if (rows.ok() && rows->empty()) std::abort();
  return 0;
}
