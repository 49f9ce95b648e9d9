// Any bytes as the costs of a model: an error, or times for every shape.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/elastic/costs/model_costs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto costs = stint::ModelCosts::Parse(text);
  if (!costs.ok()) return 0;
  // What is written is read again.
  const auto again = stint::ModelCosts::Parse(costs->ToText());
  if (!again.ok() || again->points().size() != costs->points().size()) {
    std::abort();
  }
  if (costs->points().empty()) return 0;
  const size_t stages = costs->points()[0].costs.stages.size();
  if (!costs->HaveStages(stages)) return 0;
  for (const stint::ModelCosts::Point& point : costs->points()) {
    for (int64_t shift : {-100, -1, 0, 1, 100}) {
      (void)costs->At(point.batch, point.elements + shift);
    }
    if (!costs->At(point.batch, point.elements).has_value()) std::abort();
  }
  return 0;
}
