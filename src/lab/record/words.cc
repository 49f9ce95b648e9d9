#include "lab/record/words.h"

#include "core/platform/cpu_info.h"
#include "engine/bind/kernel_site.h"
#include "stint/session.h"

namespace stint {

std::vector<std::string> IsaWords() {
  std::vector<std::string> words;
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512, Isa::kVnni,
                  Isa::kBf16, Isa::kAmx}) {
    words.emplace_back(IsaName(isa));
  }
  return words;
}

std::vector<std::string> PrecisionWords() {
  std::vector<std::string> words;
  for (Precision precision :
       {Precision::kFloat32, Precision::kBFloat16, Precision::kInt8}) {
    words.emplace_back(PrecisionName(precision));
  }
  return words;
}

std::vector<std::string> PrecisionWordsWithAuto() {
  std::vector<std::string> words = PrecisionWords();
  words.emplace_back(kAutoPrecision);
  return words;
}

std::vector<std::string> ScheduleWords() {
  std::vector<std::string> words;
  for (ScheduleMode mode :
       {ScheduleMode::kTuned, ScheduleMode::kDefault, ScheduleMode::kUntuned}) {
    words.emplace_back(ScheduleModeName(mode));
  }
  return words;
}

bool IsFullPolicy(const std::string& policy) { return policy.ends_with(":32"); }

}  // namespace stint
