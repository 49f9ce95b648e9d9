#include "lab/optimize/time_in_turns.h"

#include <algorithm>

#include "core/meter/statistics.h"
#include "core/platform/clock.h"

namespace stint {
namespace {

constexpr int kLeastTurns = 3;
constexpr int kRunsInTurn = 4;
constexpr double kQuantile = 0.25;  // of times: others disturb the rest

}  // namespace

Result<std::vector<double>> TimeInTurns(
    const std::vector<Session*>& sessions, const std::vector<Value>& row,
    double seconds,
    const std::function<void(double done, double total)>& progress) {
  std::vector<std::vector<double>> times(sessions.size());
  std::vector<Value> outputs;
  const int64_t start = NowNs();
  double spent = 0;
  for (int turn = 0; turn < kLeastTurns || spent < seconds; ++turn) {
    for (size_t t = 0; t < sessions.size(); ++t) {
      for (int run = 0; run < kRunsInTurn; ++run) {
        const int64_t begin = NowNs();
        STINT_RETURN_IF_ERROR(sessions[t]->RunInto(row, &outputs));
        // The first finds caches as the model before it left them.
        if (run > 0) times[t].push_back(MsSince(begin));
      }
    }
    spent = MsSince(start) * 1e-3;
    progress(std::min(spent, seconds), seconds);
  }
  std::vector<double> ms;
  for (const auto& own : times) ms.push_back(Quantile(own, kQuantile));
  return ms;
}

}  // namespace stint
