#pragma once
// How much worse one answer is than another.

#include "weights/package/package.h"

namespace stint {

// Of the first output: for classes the Kullback-Leibler divergence from the
// reference's probabilities, for sentence embeddings 1 - cosine, otherwise the
// squared difference over the squared reference. 0 when equal.
double AnswerLoss(OutputMeaning meaning, const Tensor& reference,
                  const Tensor& found);

// -log of the probability of the right class; `logits` [1, classes].
double LabelLoss(const Tensor& logits, int label);

}  // namespace stint
