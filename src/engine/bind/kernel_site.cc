#include "engine/bind/kernel_site.h"

namespace stint {

std::string_view PrecisionName(Precision precision) {
  switch (precision) {
    case Precision::kFloat32:
      return "fp32";
    case Precision::kBFloat16:
      return "bf16";
    case Precision::kInt8:
      return "int8";
  }
  return "";
}

std::optional<Precision> ParsePrecision(std::string_view name) {
  for (Precision precision :
       {Precision::kFloat32, Precision::kBFloat16, Precision::kInt8}) {
    if (PrecisionName(precision) == name) return precision;
  }
  return std::nullopt;
}

std::string_view ScheduleModeName(ScheduleMode mode) {
  switch (mode) {
    case ScheduleMode::kTuned:
      return "tuned";
    case ScheduleMode::kDefault:
      return "default";
    case ScheduleMode::kUntuned:
      return "untuned";
  }
  return "";
}

std::optional<ScheduleMode> ParseScheduleMode(std::string_view name) {
  for (ScheduleMode mode :
       {ScheduleMode::kTuned, ScheduleMode::kDefault, ScheduleMode::kUntuned}) {
    if (ScheduleModeName(mode) == name) return mode;
  }
  return std::nullopt;
}

}  // namespace stint
