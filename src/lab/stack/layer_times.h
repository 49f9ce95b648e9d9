#pragma once
// What each step of a model takes, and which kernel took it: samples of a point
// by which a study says where a compressed model loses time.

#include <map>
#include <string>
#include <vector>

#include "lab/record/step_record.h"
#include "lab/study/study_database.h"

namespace stint {

// The samples of layers are named "layer/NODE/KERNEL", in us.
inline constexpr char kLayerPrefix[] = "layer/";

// Adds a sample for each layer.
void TakeLayerTimes(const std::vector<StepRecord>& steps, Outcome* outcome);

// A step that takes longer in one model than in another of the same layers.
struct SlowerLayer {
  std::string name;
  double before_us = 0;  // 0: it was not there, such as a conversion
  double after_us = 0;
  std::string kernel_before;  // empty: it was not there
  std::string kernel_after;
};

// "conv1: direct_avx512 40 us, sparse_avx512 90 us"
std::string SlowerText(const SlowerLayer& layer);

// At most `most` of them, the largest loss first, from figures by name.
std::vector<SlowerLayer> FindSlowerLayers(
    const std::map<std::string, double>& before,
    const std::map<std::string, double>& after, size_t most);

}  // namespace stint
