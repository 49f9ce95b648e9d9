#pragma once
// How pictures become a model's input, as options.

#include <optional>
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

  // `side` is what the option for the side of pictures is called.
  void AddTo(CLI::App* app, const std::string& side = "--size");
  // What the options say; nothing when none was given.
  std::optional<Preprocessing> given() const;
  // What they say, or else what the model says, or else the defaults.
  Preprocessing PreprocessingFor(const Model& model) const;

 private:
  bool any_ = false;
};

}  // namespace stint::cli
