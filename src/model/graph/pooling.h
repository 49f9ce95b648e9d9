#pragma once
// Sentence embeddings from token states.

#include "model/graph/graph.h"
#include "stint/pooling.h"

namespace stint {

// Replaces the first output, [batch, sequence, hidden], by the output
// "sentence_embedding" [batch, hidden]; kNone changes nothing. The mean is over
// tokens whose input "attention_mask" is 1.
Status AddPooling(Pooling pooling, Graph* graph);

// Scales the rows of the first output to length 1; it keeps its name.
void AddNormalization(Graph* graph);

}  // namespace stint
