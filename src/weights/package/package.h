#pragma once
// A model with everything that is needed to ask it a question: graph,
// tokenizer, what its outputs mean.

#include <memory>
#include <string>
#include <vector>

#include "model/graph/graph.h"
#include "model/text/tokenizer.h"

namespace stint {

// What the first output is, as far as the model's files say.
enum class OutputMeaning {
  kUnknown,
  kHiddenStates,       // [batch, sequence, hidden]
  kSentenceEmbedding,  // [batch, hidden]
  kClassLogits,        // [batch, classes]
  kRegression,         // [batch, 1]
};

struct Package {
  std::unique_ptr<Graph> graph;
  std::shared_ptr<const Tokenizer> tokenizer;  // null: takes no text
  int64_t max_length = 0;  // most tokens of a text; 0: not stated
  OutputMeaning meaning = OutputMeaning::kUnknown;
  std::vector<std::string> labels;  // of classes, by index
};

}  // namespace stint
