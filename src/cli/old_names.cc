#include "cli/old_names.h"

#include <string_view>

namespace stint::cli {
namespace {

struct OldName {
  std::string_view command;
  std::string_view before;
  std::string_view now;
};

constexpr OldName kOldNames[] = {
    {"inspect", "--sequence", "--seq"},
    {"plan", "--sequence", "--seq"},
    // A count, while --calibrate of other commands names data.
    {"eval", "--calibrate", "--calibrate-rows"},
    {"compress", "--data", "--calibrate"},
    {"compress", "--data-rows", "--calibrate-rows"},
    {"study", "--code", "--schedule"},
    {"study", "--compute", "--target"},
    {"device", "--tune", "--primitives"},
};

}  // namespace

void ReplaceOldNames(std::vector<std::string>* words) {
  if (words->empty()) return;
  const std::string command = words->front();
  for (std::string& word : *words) {
    const std::string name = word.substr(0, word.find('='));
    for (const OldName& old : kOldNames) {
      if (old.command != command || old.before != name) continue;
      word.replace(0, name.size(), old.now);
      break;
    }
  }
}

}  // namespace stint::cli
