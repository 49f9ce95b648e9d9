#pragma once
// A model with everything that is needed to ask it a question: graph,
// tokenizer, what its outputs mean.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/platform/file.h"
#include "model/graph/graph.h"
#include "model/text/tokenizer.h"
#include "stint/preprocessing.h"
#include "weights/package/packed_weights.h"
#include "weights/shards/shard_catalog.h"

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
  // Weights of the graph's nodes in kernel layouts. Constants that are only
  // read by such nodes may have no elements.
  PackedTable packed;
  // Weights in planes and rows, of an elastic file; null: there are none.
  // Constants that are shards have no elements until they are restored.
  std::shared_ptr<const ShardFile> shards;
  std::shared_ptr<const Tokenizer> tokenizer;  // null: takes no text
  TokenizerFiles tokenizer_files;              // what it was made of
  int64_t max_length = 0;  // most tokens of a text; 0: not stated
  OutputMeaning meaning = OutputMeaning::kUnknown;
  std::vector<std::string> labels;             // of classes, by index
  std::optional<Preprocessing> preprocessing;  // of pictures, where stated
  // Where it was read from; null: it was made.
  std::shared_ptr<const MappedFile> file;
  // What it was trained to be cut to; the whole is none of them.
  std::vector<SubNetwork> sub_networks;
};

// A package with another graph and everything that is not about weights: packed
// weights and shards are left out.
Package WithGraph(const Package& package, std::unique_ptr<Graph> graph);

// The same package with a graph of its own. Elements of constants are shared:
// whoever drops them from one graph leaves the other as it is.
Package ShareWeights(const Package& package);

}  // namespace stint
