#pragma once
// What a model's outputs say, in words.

#include <vector>

#include "cli/options/run_options.h"

namespace stint::cli {

// The "answer" of a run: label and probability of a classifier, the vector of
// an embedder, the number of a regression; null where the meaning is unknown.
Json AnswerOf(const Model& model, const std::vector<NamedValue>& outputs);

}  // namespace stint::cli
