#pragma once
// What runs took against what was predicted, and whether that is still so.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stint {

class RunHistory {
 public:
  // Of a run: predictions are medians, without any slowdown.
  struct Run {
    double compute_ns = 0;
    double predicted_compute_ns = 0;
    double latency_ns = 0;
    double predicted_latency_ns = 0;
  };
  RunHistory();

  // Allocates nothing.
  void Add(const Run& run);
  // After a new plan: what was learned stays, the runs do not count again.
  void Restart();

  // Measured over predicted, by which computation and reading are corrected.
  double compute_scale() const { return compute_scale_; }
  double read_scale() const { return read_scale_; }
  // From the predicted median to what runs took, with some certainty that the
  // asked percentile of them keeps it.
  double Slowdown(double percentile) const;

  // The last runs differ so much from what was predicted, or so many exceed
  // `slowdown` times it, that another plan may be better. Takes what they say
  // into the scales.
  bool Drifted(double percentile, double slowdown);

 private:
  std::vector<double> compute_;  // measured over predicted, of the last runs
  std::vector<double> latency_;
  std::vector<double> spread_;  // latency_ of runs of plans before
  size_t next_ = 0;
  size_t runs_ = 0;    // since the last plan
  size_t needed_ = 0;  // of them before it may be changed again
  double compute_scale_ = 1;
  double read_scale_ = 1;
};

}  // namespace stint
