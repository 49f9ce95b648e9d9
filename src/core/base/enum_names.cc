// The names of the public enums, one table each. A table is in the order of
// its enum.

#include <array>

#include "stint/calibration.h"
#include "stint/lab.h"
#include "stint/pooling.h"
#include "stint/target.h"

namespace stint {
namespace {

using Names = std::span<const std::string_view>;

#if defined(__aarch64__)
constexpr std::array<std::string_view, 6> kIsas = {"neon", "avx2", "avx512",
                                                   "dot",  "bf16", "amx"};
#else
constexpr std::array<std::string_view, 6> kIsas = {"sse2", "avx2", "avx512",
                                                   "vnni", "bf16", "amx"};
#endif
constexpr std::array<std::string_view, 5> kPrecisions = {"fp32", "bf16", "int8",
                                                         "codes", "auto"};
constexpr std::array<std::string_view, 3> kScheduleModes = {"tuned", "default",
                                                            "untuned"};
constexpr std::array<std::string_view, 4> kRangeObservers = {
    "best", "min-max", "percentile", "mse"};
constexpr std::array<std::string_view, 3> kPoolings = {"none", "mean", "cls"};

template <typename Enum>
std::string_view NameIn(Names names, Enum value) {
  return names[static_cast<size_t>(value)];
}

template <typename Enum>
std::optional<Enum> FindIn(Names names, std::string_view name) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view IsaName(Isa isa) { return NameIn(kIsas, isa); }
std::optional<Isa> ParseIsa(std::string_view name) {
  return FindIn<Isa>(kIsas, name);
}
Names IsaNames() { return kIsas; }

std::string_view PrecisionName(Precision precision) {
  return NameIn(kPrecisions, precision);
}
std::optional<Precision> ParsePrecision(std::string_view name) {
  return FindIn<Precision>(kPrecisions, name);
}
Names PrecisionNames() { return kPrecisions; }
Names KernelPrecisionNames() { return Names(kPrecisions).first(3); }

std::string_view ScheduleModeName(ScheduleMode mode) {
  return NameIn(kScheduleModes, mode);
}
std::optional<ScheduleMode> ParseScheduleMode(std::string_view name) {
  return FindIn<ScheduleMode>(kScheduleModes, name);
}
Names ScheduleModeNames() { return kScheduleModes; }

std::string_view RangeObserverName(RangeObserver observer) {
  return NameIn(kRangeObservers, observer);
}
std::optional<RangeObserver> ParseRangeObserver(std::string_view name) {
  return FindIn<RangeObserver>(kRangeObservers, name);
}
Names RangeObserverNames() { return kRangeObservers; }

std::string_view PoolingName(Pooling pooling) {
  return NameIn(kPoolings, pooling);
}
std::optional<Pooling> ParsePooling(std::string_view name) {
  return FindIn<Pooling>(kPoolings, name);
}
Names PoolingNames() { return kPoolings; }

}  // namespace stint
