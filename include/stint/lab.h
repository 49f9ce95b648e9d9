#pragma once
// Options of experiments: what to compare with, and known disturbances. A
// program that only runs models needs none of them.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stint {

// Where the way a convolution is computed comes from.
enum class ScheduleMode {
  kTuned,    // what `stint tune` found on this machine, else as kDefault
  kDefault,  // measured primitives, else a rule by shape
  kUntuned,  // one fixed schedule for all: docs/tuning.md
};
std::string_view ScheduleModeName(ScheduleMode mode);  // "tuned", ...
std::optional<ScheduleMode> ParseScheduleMode(std::string_view name);
std::span<const std::string_view> ScheduleModeNames();

// The policy that plans unless another one is asked for.
inline constexpr char kElasticPolicy[] = "elastic";

struct LabOptions {
  // Who plans: "elastic", or to compare with: "sti", "sti+wait",
  // "load-then-run", "pipeline:B", "resident:B" with B bits, "mean:B" with B
  // bits on average. B of 32 is for a plain .stint file, packed for this
  // machine, instead of an elastic one: its weights are in memory, or streamed
  // layer by layer, in float32.
  std::string policy = kElasticPolicy;
  // Imitates slower storage: "80MB/s,1ms"; empty: as it is.
  std::string storage = {};
  // The convolution primitive to use wherever it applies ("direct",
  // "winograd4", ...); empty: for each layer the fastest that was measured on
  // this machine, or else a default.
  std::string primitive = {};
  ScheduleMode schedule = ScheduleMode::kTuned;
  // Take every step but compute nothing: the time of a run is then the
  // runtime's own.
  bool null_kernels = false;
  // Every step takes this much longer without computing: an overhead of known
  // size, to check what measures overheads. 0: none.
  double step_delay_us = 0;
};

}  // namespace stint
