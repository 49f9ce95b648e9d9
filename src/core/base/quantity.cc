#include "core/base/quantity.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>

namespace stint {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kByteUnits[] = {{"", 1},
                               {"B", 1},
                               {"KB", 1e3},
                               {"kB", 1e3},
                               {"MB", 1e6},
                               {"GB", 1e9},
                               {"KiB", 1024},
                               {"MiB", 1024.0 * 1024},
                               {"GiB", 1024.0 * 1024 * 1024}};
constexpr Unit kTimeUnits[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}};
constexpr Unit kEnergyUnits[] = {{"J", 1}, {"mJ", 1e-3}};

// A number that is not negative, and one of the units right behind it.
Result<double> Parse(std::string_view text, std::span<const Unit> units,
                     const char* example) {
  double number = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view name(
      rest, static_cast<size_t>(text.data() + text.size() - rest));
  if (error == std::errc() && std::isfinite(number) && number >= 0) {
    for (const Unit& unit : units) {
      if (unit.name == name) return number * unit.factor;
    }
  }
  return InvalidArgument("'" + std::string(text) + "': expected " + example);
}

Result<int64_t> ToInteger(double value, std::string_view text) {
  constexpr double kMost = 9e18;
  if (value > kMost) {
    return InvalidArgument("'" + std::string(text) + "' is too large");
  }
  return static_cast<int64_t>(std::llround(value));
}

}  // namespace

Result<int64_t> ParseBytes(std::string_view text) {
  STINT_ASSIGN_OR_RETURN(
      const double bytes,
      Parse(text, kByteUnits, "bytes with a unit, as in 16MB"));
  return ToInteger(bytes, text);
}

Result<int64_t> ParseDurationNs(std::string_view text) {
  STINT_ASSIGN_OR_RETURN(
      const double ns,
      Parse(text, kTimeUnits, "a time with a unit, as in 20ms"));
  return ToInteger(ns, text);
}

Result<double> ParseJoules(std::string_view text) {
  return Parse(text, kEnergyUnits, "an energy with a unit, as in 3J");
}

namespace {

std::string Formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

}  // namespace

std::string FormatMs(double ms) {
  if (ms >= 10000) return Formatted("%.1f s", ms / 1000);
  return Formatted(ms < 10 ? "%.2f ms" : "%.1f ms", ms);
}

std::string FormatBytes(int64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (bytes >= 1000000000) return Formatted("%.2f GB", value * 1e-9);
  if (bytes >= 1000000) return Formatted("%.1f MB", value * 1e-6);
  if (bytes >= 1000) return Formatted("%.1f kB", value * 1e-3);
  return Formatted("%.0f bytes", value);
}

}  // namespace stint
