#pragma once
// How much worse one answer is than another.

#include "weights/package/package.h"

namespace stint {

// Of the first output: for classes the Kullback-Leibler divergence from the
// reference's probabilities, for sentence embeddings 1 - cosine, otherwise the
// squared difference over the squared reference. 0 when equal.
double AnswerLoss(OutputMeaning meaning, const Tensor& reference,
                  const Tensor& found);

// The same of outputs that are known to be of classes, logits or probabilities.
double ClassLoss(const Tensor& reference, const Tensor& found);

// What the right class loses in log-probability; negative when `found` is
// better. Outputs as above, `label` is one of their classes.
double LabelLoss(const Tensor& reference, const Tensor& found, int label);

}  // namespace stint
