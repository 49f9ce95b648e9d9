#include "cli/command_table.h"

#include <algorithm>
#include <numeric>

#include "cli/commands/commands.h"

namespace stint::cli {
namespace {

constexpr Command kCommands[] = {
    {"inspect", AddInspectCommand},   {"run", AddRunCommand, true},
    {"eval", AddEvalCommand, true},   {"check", AddCheckCommand},
    {"export", AddExportCommand},     {"plan", AddPlanCommand, true},
    {"compress", AddCompressCommand}, {"optimize", AddOptimizeCommand},
    {"pack", AddPackCommand},         {"bench", AddBenchCommand},
    {"study", AddStudyCommand},       {"report", AddReportCommand},
    {"device", AddDeviceCommand},     {"tune", AddTuneCommand},
    {"peer", AddPeerCommand},         {"operators", AddOperatorsCommand},
};

// Letters to insert, remove, replace or swap with the next.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1),
      now(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1,
                         last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    before = last;
    last = now;
  }
  return last[b.size()];
}

}  // namespace

std::span<const Command> Commands() { return kCommands; }

const Command* FindCommand(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::string UnknownCommand(std::string_view name) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  std::string text = "unknown command '" + std::string(name) + "'";
  const std::string closest = ClosestWord(name, names);
  if (!closest.empty()) return text + "; did you mean '" + closest + "'?";
  return text + "; `stint --help` lists them";
}

std::string ClosestWord(std::string_view word,
                        const std::vector<std::string>& known) {
  // Two slips, and fewer in a short word.
  size_t most = std::min<size_t>(2, word.size() / 2);
  std::string closest;
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(word, candidate);
    if (distance > most || (distance == most && !closest.empty())) continue;
    most = distance;
    closest = candidate;
  }
  return closest;
}

}  // namespace stint::cli
