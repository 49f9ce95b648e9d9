#pragma once
// Data to measure a model on, and how ranges are taken from what was seen.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stint {

// How the range of a byte is taken from the values that were seen.
enum class RangeObserver {
  kBest,        // kMinMax, or kMse where that is much better
  kMinMax,      // all of them
  kPercentile,  // all but the 0.01 % farthest from 0
  kMse,         // the range with the least squared error
};

// "best", "min-max", "percentile", "mse".
std::string_view RangeObserverName(RangeObserver observer);
std::optional<RangeObserver> ParseRangeObserver(std::string_view name);
std::span<const std::string_view> RangeObserverNames();

// Rows of a data set, as `stint eval` takes it.
struct CalibrationData {
  std::string data;   // a file or folder
  std::string task;   // "cifar10", "imagefolder", "text" or a GLUE task
  int64_t rows = 64;  // the first of it
  // Where the data has labels, they count in the importance of shards, beside
  // how far answers are from those of the whole model.
  bool use_labels = true;
};

}  // namespace stint
