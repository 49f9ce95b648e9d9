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

Result<std::vector<double>> TimeInGroups(
    size_t count, const SessionSource& source, const std::vector<Value>& row,
    double seconds,
    const std::function<void(double done, double total)>& progress) {
  std::vector<double> ms(count, 0);
  double spent = 0;
  size_t next = std::min<size_t>(count, 1);
  while (count > 0) {
    std::vector<size_t> group = {0};
    while (next < count && group.size() < kTimedTogether) {
      group.push_back(next++);
    }
    std::vector<Session*> sessions;
    for (size_t i : group) {
      STINT_ASSIGN_OR_RETURN(Session * session, source.open(i));
      sessions.push_back(session);
    }
    const double share = seconds * static_cast<double>(group.size()) /
                         static_cast<double>(count);
    STINT_ASSIGN_OR_RETURN(
        const std::vector<double> times,
        TimeInTurns(sessions, row, share, [&](double done, double) {
          progress(std::min(spent + done, seconds), seconds);
        }));
    spent += share;
    if (ms[0] == 0) ms[0] = times[0];
    for (size_t t = 0; t < group.size(); ++t) {
      if (t > 0) ms[group[t]] = times[t] / times[0] * ms[0];
      source.close(group[t]);
    }
    if (next == count) break;
  }
  return ms;
}

}  // namespace stint
