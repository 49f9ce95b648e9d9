#pragma once
// Byte-level byte-pair encoding as of GPT-2 and RoBERTa: words of bytes, merged
// pair by pair in the order of the merge list.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/text/subword_model.h"
#include "stint/status.h"

namespace stint {

struct ByteLevelBpeOptions {
  bool add_prefix_space = false;  // " text" for "text"
  // For bytes that the vocabulary lacks, which otherwise are left out.
  std::optional<std::string> unknown_token;
};

// Left and right token of a merge, in the alphabet of the vocabulary file,
// where every byte is one printable character.
using MergeList = std::vector<std::pair<std::string_view, std::string_view>>;

// Copies its arguments. kDamaged when a merge names a token that is not there
// or a token is there twice.
Result<std::unique_ptr<const SubwordModel>> MakeByteLevelBpe(
    const TokenList& tokens, const MergeList& merges,
    const ByteLevelBpeOptions& options);

}  // namespace stint
