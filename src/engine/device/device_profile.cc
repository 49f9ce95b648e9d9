#include "engine/device/device_profile.h"

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <sstream>

namespace stint {
namespace {

// One list for writing and reading.
template <typename Profile, typename Visit>
void VisitFigures(Profile& profile, Visit visit) {
  visit("fp32_gflops", profile.fp32_gflops);
  visit("int8_gops", profile.int8_gops);
  visit("bf16_gflops", profile.bf16_gflops);
  visit("l2_gbps", profile.l2_gbps);
  visit("l3_gbps", profile.l3_gbps);
  visit("dram_gbps", profile.dram_gbps);
}

std::string Figures(std::initializer_list<double> figures) {
  std::string line;
  for (double figure : figures) {
    char text[40];
    std::snprintf(text, sizeof(text), " %.6g", figure);
    line += text;
  }
  return line + "\n";
}

bool IsFigure(double value) { return std::isfinite(value) && value >= 0; }

// The rest of the line, without the blank before it.
std::string Rest(std::istringstream* line) {
  std::string rest;
  std::getline(*line >> std::ws, rest);
  return rest;
}

bool ReadFigures(const std::string& name, std::istringstream* line,
                 DeviceProfile* profile) {
  bool found = false;
  VisitFigures(*profile, [&](const char* own, CoreAndAll& figure) {
    if (name != own) return;
    found = static_cast<bool>(*line >> figure.core >> figure.all) &&
            IsFigure(figure.core) && IsFigure(figure.all);
  });
  return found;
}

bool ReadIo(std::istringstream* line, DeviceProfile* profile) {
  IoPoint point;
  *line >> point.request_bytes >> point.mbytes_per_second >> point.latency_us >>
      point.queued_us;
  const int64_t before =
      profile->io.empty() ? 0 : profile->io.back().request_bytes;
  profile->io.push_back(point);
  return !line->fail() && point.request_bytes > before &&
         IsFigure(point.mbytes_per_second) && IsFigure(point.latency_us) &&
         IsFigure(point.queued_us);
}

bool ReadLine(const std::string& text, DeviceProfile* profile) {
  std::istringstream line(text);
  std::string name;
  line >> name;
  if (name == "cpu") {
    profile->cpu = Rest(&line);
    return true;
  }
  if (name == "isa") return static_cast<bool>(line >> profile->isa);
  if (name == "cores") return line >> profile->cores && profile->cores > 0;
  if (name == "threads") {
    return line >> profile->threads && profile->threads > 0;
  }
  if (name == "io_depth") {
    return line >> profile->io_depth && profile->io_depth > 0;
  }
  if (name == "io_note") {
    profile->io_note = Rest(&line);
    return true;
  }
  if (name == "io") return ReadIo(&line, profile);
  if (name == "energy_meter") {
    line >> profile->energy_meter.grade;
    profile->energy_meter.source = Rest(&line);
    return !profile->energy_meter.source.empty();
  }
  return ReadFigures(name, &line, profile);
}

}  // namespace

std::string ToText(const DeviceProfile& profile) {
  std::string text = "cpu " + profile.cpu + "\nisa " + profile.isa +
                     "\ncores " + std::to_string(profile.cores) + "\nthreads " +
                     std::to_string(profile.threads) + "\n";
  VisitFigures(profile, [&](const char* name, const CoreAndAll& figure) {
    text += name + Figures({figure.core, figure.all});
  });
  text += "io_depth " + std::to_string(profile.io_depth) + "\nio_note " +
          profile.io_note + "\n";
  for (const IoPoint& point : profile.io) {
    text +=
        "io " + std::to_string(point.request_bytes) +
        Figures({point.mbytes_per_second, point.latency_us, point.queued_us});
  }
  return text + "energy_meter " + profile.energy_meter.grade + " " +
         profile.energy_meter.source + "\n";
}

Result<DeviceProfile> ParseDeviceProfile(std::string_view text) {
  DeviceProfile profile;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (!ReadLine(line, &profile)) {
      return Damaged("device profile: line " + std::to_string(number) +
                     " is wrong: " + line.substr(0, 80));
    }
  }
  if (profile.isa.empty() || profile.energy_meter.source.empty()) {
    return Damaged("device profile: lines are missing");
  }
  return profile;
}

}  // namespace stint
