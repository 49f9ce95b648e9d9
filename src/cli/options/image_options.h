#pragma once
// How pictures become a model's input, as options.

#include <optional>
#include <string>
#include <vector>

#include "cli/options/run_options.h"
#include "convert/data/image/preprocess.h"

namespace stint::cli {

struct ImageOptions {
  std::vector<float> mean;
  std::vector<float> std;
  std::string channel_order = "rgb";
  float scale = 1;
  int size = 0;

  // `side` is what the option for the side of pictures is called.
  void AddTo(CLI::App* app, const std::string& side = "--size");
  // The options that were given, as they are written: for a command that hands
  // them on to `stint eval` or `compress`.
  const std::vector<std::string>& words() const { return words_; }
  // What the options say; nothing when none was given.
  std::optional<Preprocessing> given() const;
  // What they say, or else what the model says, or else the defaults.
  Preprocessing PreprocessingFor(const ModelInfo& model) const;

 private:
  void Given(const std::string& name, const std::string& text);

  bool any_ = false;
  std::vector<std::string> words_;
};

}  // namespace stint::cli
