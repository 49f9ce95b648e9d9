#include "cli/options/image_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <sstream>

namespace stint::cli {
namespace {

// One number serves all channels.
std::array<float, 3> PerChannel(const std::vector<float>& given,
                                float fallback) {
  std::array<float, 3> values;
  for (size_t c = 0; c < 3; ++c) {
    values[c] = given.empty() ? fallback : given[given.size() == 1 ? 0 : c];
  }
  return values;
}

// One or three numbers.
std::string CheckCount(const std::string& text) {
  const auto commas = std::count(text.begin(), text.end(), ',');
  return commas == 0 || commas == 2 ? "" : "takes 1 or 3 numbers: " + text;
}

}  // namespace

void ImageOptions::AddTo(CLI::App* app, const std::string& side) {
  const auto add = [&](const char* name, std::vector<float>* values,
                       const char* help) {
    app->add_option_function<std::string>(
           name,
           [this, values, name](const std::string& text) {
             Given(name, text);
             std::stringstream stream(text);
             for (std::string part; std::getline(stream, part, ',');) {
               float value = 0;
               if (!CLI::detail::lexical_cast(part, value)) {
                 throw CLI::ValidationError("'" + part + "' is not a number");
               }
               values->push_back(value);
             }
           },
           help)
        ->check(CheckCount);
  };
  add("--mean", &mean, "Per-channel mean, 1 or 3 numbers: 104,117,123");
  add("--std", &std, "Per-channel deviation, 1 or 3 numbers");
  app->add_option("--scale", scale, "pixel = (value / scale - mean) / std")
      ->each([this](const std::string& text) { Given("--scale", text); });
  app->add_option("--channel-order", channel_order,
                  "Channel order that the model expects")
      ->check(CLI::IsMember({"rgb", "bgr"}))
      ->each(
          [this](const std::string& text) { Given("--channel-order", text); });
  app->add_option(side, size, "Resize pictures to this square")
      ->check(CLI::Range(1, 8192))
      ->each([this](const std::string& text) { Given("--size", text); });
}

void ImageOptions::Given(const std::string& name, const std::string& text) {
  any_ = true;
  words_.insert(words_.end(), {name, text});
}

std::optional<Preprocessing> ImageOptions::given() const {
  if (!any_) return std::nullopt;
  Preprocessing result;
  result.mean = PerChannel(mean, 0);
  result.std = PerChannel(std, 1);
  result.scale = scale;
  result.channel_order =
      channel_order == "bgr" ? ChannelOrder::kBgr : ChannelOrder::kRgb;
  result.size = size;
  return result;
}

Preprocessing ImageOptions::PreprocessingFor(const ModelInfo& model) const {
  if (any_) return *given();
  return model.preprocessing.value_or(Preprocessing{});
}

}  // namespace stint::cli
