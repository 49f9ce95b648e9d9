#pragma once
// tokenizer.json taken apart: its settings as JSON, its vocabulary and merges,
// which make up nearly all of it, as plain lists.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "model/text/byte_level_bpe.h"
#include "model/text/subword_model.h"
#include "stint/status.h"

namespace stint {

struct TokenizerDocument {
  nlohmann::json settings;  // model.vocab and model.merges without elements
  TokenList vocabulary;     // in the order of the file
  MergeList merges;
  std::unique_ptr<char[]> text;  // what the merges refer to
};

// kDamaged when `content` is not JSON, an id is not from 0 to 2^31 - 2, or a
// merge is neither "left right" nor ["left", "right"].
Result<TokenizerDocument> ParseTokenizerDocument(std::string_view content,
                                                 const std::string& file);

}  // namespace stint
