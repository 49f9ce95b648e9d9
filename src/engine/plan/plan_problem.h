#pragma once
// What a plan is made from: layers with their shards, what reading and
// computing them takes here, and the budget. Nothing in it refers to a file or
// a machine.

#include <array>
#include <cstdint>
#include <vector>

#include "core/tensor/bit_planes.h"

namespace stint {

// 2 to 8 bits; tables of them are indexed by bits - 2.
inline constexpr int kPlanFidelities = kPlaneMaxBits - kPlaneMinBits + 1;
using ByFidelity = std::array<double, kPlanFidelities>;

// What is read as one: a group of planes of neighboring slices.
struct PlanUnit {
  int first_slice = 0;
  int slices = 0;
  int64_t bytes = 0;
};

struct PlanLayer {
  // Group 0 has the planes of 2 bits, group g one plane more, for g + 2 bits.
  // Units of a group cover all slices once, in order.
  std::vector<std::vector<PlanUnit>> groups;
  // By slice: how much the answers suffer when it has so many bits. It falls
  // with the bits.
  std::vector<ByFidelity> loss;
  double compute_ns = 0;          // of the layer, whatever its slices have
  ByFidelity slice_compute_ns{};  // of each slice, besides
  bool narrows = true;            // sub-models take its first slices only

  int slices() const { return static_cast<int>(loss.size()); }
  int most_bits() const { return static_cast<int>(groups.size()) + 1; }
};

// Some layers with their first slices only, which the model was trained for.
struct SubModel {
  std::vector<int> layers;
  int slices = 0;   // 0: all of them
  double loss = 0;  // on top of that of the shards
};

// How long one read takes: first a latency, which passes while earlier reads
// are transferred; then a straight line between points of rising bytes, and
// beyond the last at the speed of the last piece.
struct ReadCost {
  struct Point {
    int64_t bytes;
    double ns;
  };
  std::vector<Point> points;
  double latency_ns = 0;

  double ns(int64_t bytes) const;
};

struct PlanProblem {
  std::vector<PlanLayer> layers;
  // The whole model is always tried; these besides.
  std::vector<SubModel> sub_models;
  ReadCost read;
  int64_t request_bytes = 1 << 20;  // neighbors are read together up to this
  // Of what a layer streams, before it computes: checksums.
  double check_ns_per_byte = 0;
  double before_ns = 0;      // computation before the first layer
  double read_after_ns = 0;  // when storage turns to the layers
  double after_ns = 0;       // and after the last
  int64_t fixed_bytes = 0;   // memory besides shards
  // Times are multiplied by this: from the median to the asked percentile.
  double slowdown = 1;

  double latency_ns = 0;     // budget; 0: none
  int64_t memory_bytes = 0;  // budget; 0: none
};

// How many of the layer's slices the sub-model has.
int KeptSlices(const PlanLayer& layer, const SubModel& sub_model);

// The problem with only the layers and slices of a sub-model.
PlanProblem Restrict(const PlanProblem& problem, const SubModel& sub_model);

}  // namespace stint
