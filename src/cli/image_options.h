#pragma once
// How pictures become a model's input, as options.

#include <string>
#include <vector>

#include "cli/command.h"
#include "convert/data/preprocess.h"

namespace stint::cli {

struct ImageOptions {
  std::vector<float> mean;
  std::vector<float> std;
  std::string channel_order = "rgb";
  float scale = 1;
  int size = 0;

  void AddTo(CLI::App* app);
  Preprocessing ToPreprocessing() const;
};

}  // namespace stint::cli
