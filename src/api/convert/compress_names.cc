#include <algorithm>
#include <cstdlib>

#include "stint/compress.h"

namespace stint {
namespace {

// "50%" or "0.5".
std::optional<double> ParseShare(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return std::nullopt;
  const std::string rest = end;
  if (rest == "%") return number / 100;
  return rest.empty() ? std::optional(number) : std::nullopt;
}

struct PruneName {
  std::string_view name;
  PruneKind kind;
  int64_t block;
  int64_t channels = 1;
};
constexpr PruneName kPruneNames[] = {
    {"magnitude", PruneKind::kMagnitude, 1}, {"layer", PruneKind::kLayer, 1},
    {"4x1", PruneKind::kBlock, 4},           {"8x1", PruneKind::kBlock, 8},
    {"16x1", PruneKind::kBlock, 16},         {"1x4", PruneKind::kBlock, 1, 4},
    {"channel", PruneKind::kChannel, 1},
};

// ":mse", ":all:mse", "".
Status ParseIntegers(const std::string& words, CompressOptions* options) {
  for (size_t start = 0; start < words.size();) {
    const size_t end = std::min(words.find(':', start + 1), words.size());
    const std::string word = words.substr(start + 1, end - start - 1);
    start = end;
    if (word == "all") {
      options->integer_layers = IntegerLayers::kAll;
    } else if (word == "rule") {
      options->integer_layers = IntegerLayers::kByRule;
    } else if (const auto observer = ParseRangeObserver(word)) {
      options->observer = *observer;
    } else {
      return InvalidArgument("observer is '" + word +
                             "', expected one of best, min-max, percentile, "
                             "mse, or all or rule");
    }
  }
  return OkStatus();
}

}  // namespace

Status ParsePruning(const std::string& text, CompressOptions* options) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  for (const PruneName& entry : kPruneNames) {
    if (entry.name != name || colon == std::string::npos) continue;
    const auto share = ParseShare(text.substr(colon + 1));
    if (!share || !(*share >= 0 && *share < 1)) {
      return InvalidArgument("pruning ratio is '" + text.substr(colon + 1) +
                             "', expected 0% to less than 100%");
    }
    options->prune = entry.kind;
    options->block = entry.block;
    options->block_channels = entry.channels;
    options->ratio = *share;
    return OkStatus();
  }
  return InvalidArgument("pruning is '" + text +
                         "', expected magnitude, layer, 4x1, 8x1, 16x1, "
                         "1x4 or channel, and a ratio: channel:50%");
}

Status ParseQuantization(const std::string& text, CompressOptions* options) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (name == "fp16" || name == "bf16") {
    options->quantize =
        name == "fp16" ? QuantizeKind::kFloat16 : QuantizeKind::kBFloat16;
    if (colon == std::string::npos) return OkStatus();
  } else if (name == "int8") {
    options->quantize = QuantizeKind::kInt8;
    return ParseIntegers(text.substr(std::min(colon, text.size())), options);
  }
  if (text.size() == 4 && text.ends_with("bit") && text[0] >= '2' &&
      text[0] <= '8') {
    options->quantize = QuantizeKind::kCodes;
    options->bits = text[0] - '0';
    return OkStatus();
  }
  return InvalidArgument(
      "quantization is '" + text +
      "', expected fp16, bf16, int8, int8:OBSERVER, int8:all, int8:rule or "
      "2bit to 8bit");
}

Status ParseRecovery(const std::string& text, CompressOptions* options) {
  if (text == "none") {
    options->recovery = Recovery::kNone;
  } else if (text == "statistics") {
    options->recovery = Recovery::kStatistics;
  } else if (text == "refit") {
    options->recovery = Recovery::kRefit;
  } else {
    return InvalidArgument("recovery is '" + text +
                           "', expected none, statistics or refit");
  }
  return OkStatus();
}

}  // namespace stint
