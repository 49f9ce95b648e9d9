#pragma once
// The schedules that `stint tune` found, by layer, on one machine, instruction
// set and number of threads. Pure data, its text form and its file.

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/platform/cpu_info.h"
#include "kernels/conv_blocked_f32/conv_schedule.h"
#include "stint/status.h"

namespace stint {

struct TunedSchedule {
  ConvPlan plan;
  double us = 0;          // of one such layer in its network
  double default_us = 0;  // of what would run without it, in the same rounds
};

class ConvSchedules {
 public:
  // `layer` as ConvLayerName; replaces what is known of it.
  void Set(const std::string& layer, TunedSchedule schedule);
  void Erase(const std::string& layer) { layers_.erase(layer); }
  // Null when the layer has none.
  const TunedSchedule* Find(const std::string& layer) const;
  const std::map<std::string, TunedSchedule>& layers() const { return layers_; }

  // Lines "layer schedule us default_us".
  std::string ToText() const;
  static Result<ConvSchedules> Parse(std::string_view text);

 private:
  std::map<std::string, TunedSchedule> layers_;
};

// kNotFound when nothing was tuned for this instruction set and number of
// threads (one failed open), kDamaged when the file cannot be used.
Result<std::shared_ptr<const ConvSchedules>> LoadConvSchedules(
    const std::string& folder, Isa isa, int threads);
Status SaveConvSchedules(const std::string& folder, Isa isa, int threads,
                         const ConvSchedules& schedules);

}  // namespace stint
