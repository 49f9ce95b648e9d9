#pragma once
// When each step of a run began and ended.

#include <cstdint>
#include <string>
#include <vector>

#include "core/platform/clock.h"
#include "engine/run/graph_runner.h"
#include "stint/session.h"

namespace stint {

// Remembers the steps of the last run. Grows only when a run has more steps
// than any before.
class StepRecorder : public StepObserver {
 public:
  void Clear() { steps_.clear(); }
  // Spins so long after each step, outside of the step's own time.
  void set_delay_ns(int64_t ns) { delay_ns_ = ns; }
  void OnStep(const Node& node, int64_t start_ns, int64_t end_ns) override {
    steps_.push_back({&node, start_ns, end_ns});
    while (NowNs() - end_ns < delay_ns_) {
    }
  }
  std::vector<StepTime> Times() const {
    std::vector<StepTime> times;
    for (const Step& step : steps_) {
      times.push_back({step.node->name, std::string(OpName(step.node->op)),
                       Microseconds(step.start_ns), Microseconds(step.end_ns)});
    }
    return times;
  }

 private:
  struct Step {
    const Node* node;
    int64_t start_ns;
    int64_t end_ns;
  };
  double Microseconds(int64_t ns) const {
    return static_cast<double>(ns - steps_.front().start_ns) * 1e-3;
  }
  std::vector<Step> steps_;
  int64_t delay_ns_ = 0;
};

}  // namespace stint
