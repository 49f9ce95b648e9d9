#include "lab/record/words.h"

#include "stint/lab.h"
#include "stint/target.h"

namespace stint {

std::vector<std::string> Words(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

std::vector<std::string> IsaWords() { return Words(IsaNames()); }

std::vector<std::string> PrecisionWords() {
  return Words(KernelPrecisionNames());
}

std::vector<std::string> PrecisionWordsWithAuto() {
  std::vector<std::string> words = PrecisionWords();
  words.emplace_back(PrecisionName(Precision::kAuto));
  return words;
}

std::vector<std::string> ScheduleWords() { return Words(ScheduleModeNames()); }

}  // namespace stint
