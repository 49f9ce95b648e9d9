#pragma once
// How much worse one answer is than another.

#include "weights/package/package.h"

namespace stint {

// Of the first output: for classes the Kullback-Leibler divergence from the
// reference's probabilities, for sentence embeddings 1 - cosine, otherwise the
// squared difference over the squared reference. 0 when equal.
double AnswerLoss(OutputMeaning meaning, const Tensor& reference,
                  const Tensor& found);

// The same where the right class is known: the cross-entropy that answers lose
// against a target that is half the right class, half the reference's
// probabilities. The right class says what matters for the task; few samples
// say little of a single shard by it alone. Negative when `found` is better.
// Outputs are logits or probabilities [1, classes], `label` is one of them.
double LabeledLoss(const Tensor& reference, const Tensor& found, int label);

}  // namespace stint
