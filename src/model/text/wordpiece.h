#pragma once
// WordPiece: words split at blanks and punctuation, each covered from the left
// by the longest pieces of the vocabulary, or unknown as a whole.

#include <memory>
#include <string>

#include "model/text/bert_normalizer.h"
#include "model/text/subword_model.h"
#include "stint/status.h"

namespace stint {

struct WordPieceOptions {
  BertNormalizerOptions normalizer;
  std::string unknown_token = "[UNK]";
  std::string continuing_prefix = "##";
  int64_t max_chars_per_word = 100;  // longer words are unknown
};

// kDamaged when the unknown token is not among them or a
// token is there twice.
Result<std::unique_ptr<const SubwordModel>> MakeWordPiece(
    TokenList tokens, const WordPieceOptions& options);

}  // namespace stint
