#include "cli/options/preprocess_option.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "cli/options/image_options.h"

namespace stint::cli {
namespace {

// The words of --preprocess for one model, checked as `stint eval` would.
Result<std::vector<std::string>> PictureWords(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  ImageOptions image;
  CLI::App check;
  image.AddTo(&check);
  try {
    check.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return InvalidArgument("--preprocess '" + text + "': " + error.what());
  }
  return image.words();
}

struct OfModel {
  std::string model;  // its path
  std::string value;
};

// "NAME=VALUE", the name or stem of a model's file; `option` is named by the
// error.
Result<OfModel> SplitOfModel(const std::string& option, const std::string& text,
                             const std::vector<std::string>& models) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const auto model =
      std::find_if(models.begin(), models.end(), [&](const auto& path) {
        const std::filesystem::path file(path);
        return name == path || name == file.filename() || name == file.stem();
      });
  if (equals == std::string::npos || model == models.end()) {
    return InvalidArgument(option + " '" + text +
                           "', expected MODEL=VALUE with the name of one of "
                           "the models");
  }
  return OfModel{*model, text.substr(equals + 1)};
}

// 0 for what is none.
double ShareOf(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string_view unit = end;
  const double share = unit == "%" ? value / 100 : value;
  return (unit.empty() || unit == "%") && share > 0 && share <= 1 ? share : 0;
}

}  // namespace

Status SetPreprocessing(const std::vector<std::string>& given,
                        StackStudyOptions* stack) {
  for (const std::string& text : given) {
    STINT_ASSIGN_OR_RETURN(const OfModel of,
                           SplitOfModel("--preprocess", text, stack->models));
    STINT_ASSIGN_OR_RETURN(stack->preprocessing_of[of.model],
                           PictureWords(of.value));
  }
  return OkStatus();
}

Status SetPublished(const std::vector<std::string>& given,
                    StackStudyOptions* stack) {
  for (const std::string& text : given) {
    STINT_ASSIGN_OR_RETURN(const OfModel of,
                           SplitOfModel("--published", text, stack->models));
    const double share = ShareOf(of.value);
    if (share == 0) {
      return InvalidArgument("--published '" + text +
                             "', expected an accuracy such as 57.5% or 0.575");
    }
    stack->published_of[of.model] = share;
  }
  return OkStatus();
}

}  // namespace stint::cli
