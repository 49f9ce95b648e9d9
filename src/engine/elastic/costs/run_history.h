#pragma once
// What the last runs took against what was predicted: how much room plans need,
// and whether the one in use still has it.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stint {

class RunHistory {
 public:
  // Of a run: predictions are those of an idle machine, without any slowdown.
  struct Run {
    double compute_ns = 0;
    double predicted_compute_ns = 0;
    double latency_ns = 0;
    double predicted_latency_ns = 0;
  };
  // The plan in use: its slowdown, and how many times its predicted latency
  // the budget is.
  struct InUse {
    double slowdown = 1;
    double room = 1;
  };
  // Without runs of its own the 95th percentile is taken to be so far off.
  explicit RunHistory(double first_slowdown = kFirstSlowdown);

  // `now_ns`: when it ended. Allocates nothing, as all that runs ask.
  void Add(const Run& run, int64_t now_ns);
  // After a new plan: what runs took still counts.
  void Restart(int64_t now_ns);

  // From predictions to what the last seconds' runs took, with some certainty
  // that the asked percentile of runs to come keeps it.
  double Slowdown(double percentile) const;
  // Measured over predicted, by which reading is corrected.
  double read_scale() const { return read_scale_; }
  // How many times the predicted computation the median run took.
  double busy() const;
  // Whether there were enough runs to say so.
  bool Knows() const { return runs_ > kEnough; }

  // Too many of the last runs are beyond the plan's room, or all have stayed so
  // far below it, or reading takes so much another time, that another plan may
  // be better.
  bool Drifted(double percentile, const InUse& plan, int64_t now_ns);

  static constexpr double kFirstSlowdown = 1.3;

 private:
  static constexpr size_t kEnough = 64;

  struct Sample {
    int64_t end_ns;
    // Measured over predicted:
    double compute;
    double latency;
    double reading;  // latency, were the measured computation known before
  };

  size_t Recent() const;  // how many samples are of the last seconds
  // Over the last samples.
  double Share(double Sample::*ratio, size_t count, double share) const;
  double LatencyAt(double share) const;

  std::vector<Sample> samples_;  // a ring
  size_t next_ = 0;
  mutable std::vector<double> sorted_;  // of the samples that are asked for
  double first_slowdown_;
  double read_scale_ = 1;
  size_t runs_ = 0;       // in all
  size_t plan_runs_ = 0;  // of this plan
  int64_t began_ns_ = 0;  // the plan
  int64_t asked_ns_ = 0;
  int64_t raised_ns_ = 0;  // when room was last given back
  int64_t pause_ns_;       // before it is given back
};

}  // namespace stint
