#include "core/meter/energy/nvml_source.h"

#include <cmath>
#include <cstdlib>

#include "core/platform/process.h"
#include "core/platform/shared_library.h"

namespace stint {
namespace {

constexpr double kAnswerSeconds = 10;
constexpr double kRefreshSeconds = 0.1;
// Cards average their power over a second or so before they show it.
constexpr double kBlockSeconds = 5;

Status NvmlError(const std::string& call, int code) {
  return IoError("NVML " + call + ": error " + std::to_string(code));
}

class NvmlSource : public EnergySource {
 public:
  NvmlSource(NvmlCalls calls, unsigned cards, EnergyGrade grade)
      : EnergySource(
            "NVML " + std::to_string(cards) + (cards == 1 ? " card" : " cards"),
            grade),
        calls_(std::move(calls)),
        cards_(cards) {
    set_refresh_seconds(kRefreshSeconds);
    set_least_block_seconds(kBlockSeconds);
  }

  Result<double> Read() override {
    double sum = 0;
    for (unsigned card = 0; card < cards_; ++card) {
      unsigned long long millijoules = 0;
      unsigned milliwatts = 0;
      const bool counts = grade() == EnergyGrade::kCounter;
      const int code = counts ? calls_.energy(card, &millijoules)
                              : calls_.power(card, &milliwatts);
      if (code != 0) return NvmlError(counts ? "energy" : "power", code);
      sum += counts ? static_cast<double>(millijoules) * 1e-3
                    : static_cast<double>(milliwatts) * 1e-3;
    }
    return sum;
  }

 private:
  NvmlCalls calls_;
  unsigned cards_;
};

class SmiSource : public EnergySource {
 public:
  explicit SmiSource(std::string program)
      : EnergySource("nvidia-smi power.draw", EnergyGrade::kSensor),
        program_(std::move(program)) {
    set_least_block_seconds(kBlockSeconds);
  }

  Result<double> Read() override {
    STINT_ASSIGN_OR_RETURN(Process process,
                           Process::Start({program_, "--query-gpu=power.draw",
                                           "--format=csv,noheader,nounits"}));
    std::vector<std::string> lines;
    while (true) {
      auto line = process.ReadLine(kAnswerSeconds);
      if (!line.ok()) break;
      lines.push_back(std::move(*line));
    }
    const ProcessExit exit = process.Wait(kAnswerSeconds);
    if (!exit.ok()) return IoError(program_ + ": " + exit.ToString());
    return ParseSmiWatts(lines);
  }

 private:
  std::string program_;
};

}  // namespace

Result<NvmlCalls> LoadNvml(const std::string& name) {
  STINT_ASSIGN_OR_RETURN(const SharedLibrary library,
                         SharedLibrary::Open(name));
  using Handle = void*;
  const auto init = reinterpret_cast<int (*)()>(library.Find("nvmlInit_v2"));
  const auto count = reinterpret_cast<int (*)(unsigned*)>(
      library.Find("nvmlDeviceGetCount_v2"));
  const auto handle = reinterpret_cast<int (*)(unsigned, Handle*)>(
      library.Find("nvmlDeviceGetHandleByIndex_v2"));
  const auto energy = reinterpret_cast<int (*)(Handle, unsigned long long*)>(
      library.Find("nvmlDeviceGetTotalEnergyConsumption"));
  const auto power = reinterpret_cast<int (*)(Handle, unsigned*)>(
      library.Find("nvmlDeviceGetPowerUsage"));
  if (init == nullptr || count == nullptr || handle == nullptr ||
      energy == nullptr || power == nullptr) {
    return Unsupported(name + ": lacks calls, expected NVML 10 or newer");
  }
  NvmlCalls calls;
  calls.init = init;
  calls.count = count;
  calls.energy = [handle, energy](unsigned index, unsigned long long* mj) {
    Handle device = nullptr;
    const int code = handle(index, &device);
    return code != 0 ? code : energy(device, mj);
  };
  calls.power = [handle, power](unsigned index, unsigned* mw) {
    Handle device = nullptr;
    const int code = handle(index, &device);
    return code != 0 ? code : power(device, mw);
  };
  return calls;
}

FoundEnergySource FindNvml(const NvmlCalls& calls) {
  if (const int code = calls.init(); code != 0) {
    return NvmlError("initialization", code);
  }
  unsigned cards = 0;
  if (const int code = calls.count(&cards); code != 0) {
    return NvmlError("count of cards", code);
  }
  if (cards == 0) return NotFound("NVML: no cards");
  for (const EnergyGrade grade :
       {EnergyGrade::kCounter, EnergyGrade::kSensor}) {
    auto source = std::make_unique<NvmlSource>(calls, cards, grade);
    const auto value = source->Read();
    if (value.ok()) return std::unique_ptr<EnergySource>(std::move(source));
    if (grade == EnergyGrade::kSensor) return value.status();
  }
  return NotFound("NVML: no cards");
}

Result<double> ParseSmiWatts(const std::vector<std::string>& lines) {
  double sum = 0;
  bool any = false;
  for (const std::string& line : lines) {
    char* end = nullptr;
    const double watts = std::strtod(line.c_str(), &end);
    if (end == line.c_str() || !std::isfinite(watts) || watts < 0) {
      return Damaged("nvidia-smi: '" + line.substr(0, 40) +
                     "', expected watts");
    }
    sum += watts;
    any = true;
  }
  if (!any) return Damaged("nvidia-smi: no answer, expected watts");
  return sum;
}

FoundEnergySource FindNvidiaSmi(const std::string& program) {
  auto source = std::make_unique<SmiSource>(program);
  const auto watts = source->Read();
  if (!watts.ok()) return watts.status();
  return std::unique_ptr<EnergySource>(std::move(source));
}

}  // namespace stint
