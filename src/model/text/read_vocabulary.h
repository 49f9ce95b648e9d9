#pragma once
// The parts of tokenizer files that several of them share: vocabularies, ids
// and the template of special tokens.

#include "model/text/json_node.h"
#include "model/text/sequence_template.h"
#include "model/text/subword_model.h"

namespace stint {

// An id within int32 and not negative.
Result<int32_t> ReadTokenId(const JsonNode& node);
// An object of token and id.
Result<TokenList> ReadTokenList(const JsonNode& node);
// The template of tokenizer.json's "post_processor"; bare when there is none.
Result<SequenceTemplate> ReadSequenceTemplate(const JsonNode& root);
// From "padding", else the id of [PAD] or <pad>, else 0.
Result<int32_t> ReadPadId(const JsonNode& root, const SubwordModel& model);

}  // namespace stint
