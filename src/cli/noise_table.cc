#include "cli/noise_table.h"

#include <cstdio>

namespace stint::cli {

void PrintNoise(const NoiseRatio& noise) {
  std::printf("  A/A (stint against itself) %.3f [%.3f, %.3f]%s\n",
              noise.ratio.value, noise.ratio.low, noise.ratio.high,
              noise.too_noisy
                  ? ": this machine is too noisy now to rank by a few percent"
                  : "");
}

Json NoiseListJson(const std::vector<NoiseRatio>& noise) {
  Json list = Json::array();
  for (const NoiseRatio& row : noise) {
    list.push_back({{"condition", ToString(row.condition)},
                    {"ratio", row.ratio.value},
                    {"ratio_low", row.ratio.low},
                    {"ratio_high", row.ratio.high},
                    {"too_noisy", row.too_noisy}});
  }
  return list;
}

}  // namespace stint::cli
