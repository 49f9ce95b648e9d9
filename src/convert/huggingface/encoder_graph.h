#pragma once
// BERT-like encoders as graphs.

#include <memory>

#include "convert/huggingface/config.h"
#include "convert/huggingface/encoder_weights.h"
#include "model/graph/graph.h"

namespace stint {

// Inputs input_ids, attention_mask and, where the family has types,
// token_type_ids, all int64 [batch, sequence]. The output is, by what the
// weights and `sentence` say:
//   logits             [batch, classes]           a classifier
//   sentence_embedding [batch, hidden]            pooling is not kNone
//   last_hidden_state  [batch, sequence, hidden]  otherwise
Result<std::unique_ptr<Graph>> BuildEncoder(const EncoderConfig& config,
                                            const SentenceConfig& sentence,
                                            const EncoderWeights& weights);

}  // namespace stint
