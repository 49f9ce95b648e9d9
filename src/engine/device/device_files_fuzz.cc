// Any bytes as a device profile and as tables of costs and schedules: an error
// or a value.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/device/code_costs.h"
#include "engine/device/conv_costs.h"
#include "engine/device/conv_schedules.h"
#include "engine/device/device_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)stint::ParseDeviceProfile(text);
  const auto costs = stint::ConvCosts::Parse(text);
  if (costs.ok()) (void)costs->ToText();
  const auto schedules = stint::ConvSchedules::Parse(text);
  if (schedules.ok()) {
    for (const auto& [layer, tuned] : schedules->layers()) {
      (void)stint::ParseConvLayerName(layer);
      const auto plan = stint::ParseConvPlan(stint::ToText(tuned.plan));
      if (!plan.ok() || *plan != tuned.plan) std::abort();
    }
  }
  const auto codes = stint::CodeCosts::Parse(text);
  // What is written is read again, and times are numbers.
  if (codes.ok()) {
    if (!stint::CodeCosts::Parse(codes->ToText()).ok()) std::abort();
    if (!(codes->LinearNs(100, 384, 1536, 4) > 0)) std::abort();
  }
  return 0;
}
