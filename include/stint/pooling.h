#pragma once
// How the vectors of a text's tokens become one vector of the text.

#include <optional>
#include <span>
#include <string_view>

namespace stint {

enum class Pooling {
  kNone,  // they stay
  kMean,  // over the tokens that the attention mask keeps
  kCls,   // that of the first token
};

std::string_view PoolingName(Pooling pooling);  // "none", "mean", "cls"
std::optional<Pooling> ParsePooling(std::string_view name);
std::span<const std::string_view> PoolingNames();

}  // namespace stint
