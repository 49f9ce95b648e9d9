#include "core/meter/energy/energy_source.h"

namespace stint {

char Letter(EnergyGrade grade) {
  return static_cast<char>('A' + static_cast<int>(grade));
}

const char* ShownAs(EnergyGrade grade) {
  switch (grade) {
    case EnergyGrade::kCounter:
      return "measured";
    case EnergyGrade::kSensor:
      return "integrated";
    case EnergyGrade::kExternal:
      return "external";
    case EnergyGrade::kModeled:
      return "modeled, +-40 %";
    case EnergyGrade::kNone:
      return "no energy";
  }
  return "";
}

}  // namespace stint
