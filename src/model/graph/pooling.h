#pragma once
// Sentence embeddings from token states.

#include "model/graph/graph.h"

namespace stint {

enum class PoolingKind { kMean, kFirstToken };

// Replaces the first output, [batch, sequence, hidden], by the output
// "sentence_embedding" [batch, hidden]. The mean is over tokens whose input
// "attention_mask" is 1.
Status AddPooling(PoolingKind kind, Graph* graph);

// Scales the rows of the first output to length 1; it keeps its name.
void AddNormalization(Graph* graph);

}  // namespace stint
