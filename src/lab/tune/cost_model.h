#pragma once
// Predicts how well a schedule does on a layer, from trials: boosted regression
// stumps on features of both. Only good enough to tell which trials to make
// first.

#include <array>
#include <vector>

#include "lab/tune/schedule_space.h"

namespace stint {

inline constexpr int kPlanFeatures = 32;
using PlanFeatures = std::array<double, kPlanFeatures>;

PlanFeatures FeaturesOf(const TuneProblem& problem, const ConvPlan& plan);

// The logarithm of the time for each multiplication: comparable between layers.
double CostOf(const TuneProblem& problem, double us);

class CostModel {
 public:
  // Forgets what it knew. `costs` are as many as `features`.
  void Fit(const std::vector<PlanFeatures>& features,
           const std::vector<double>& costs);
  bool trained() const { return !stumps_.empty(); }
  double Predict(const PlanFeatures& features) const;

 private:
  // Adds `below` or `above`, by where a feature lies.
  struct Stump {
    int feature;
    double threshold;
    double below;
    double above;
    double At(const PlanFeatures& features) const {
      return features[feature] < threshold ? below : above;
    }
  };
  double mean_ = 0;
  std::vector<Stump> stumps_;
};

}  // namespace stint
