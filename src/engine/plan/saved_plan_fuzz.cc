// Saved plans are files that people may edit.

#include "engine/plan/saved_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto plan =
      stint::ParseSavedPlan({reinterpret_cast<const char*>(data), size});
  if (!plan.ok()) return 0;
  // What was read is written and read again.
  const auto again = stint::ParseSavedPlan(stint::ToText(*plan));
  if (!again.ok()) __builtin_trap();
  return 0;
}
