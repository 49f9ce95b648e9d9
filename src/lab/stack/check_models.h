#pragma once
// A look at the models of a study before hours of work: one that answers no
// better than by guessing, or worse than others report, is most likely given
// pictures that it does not expect.

#include <cstdint>
#include <string>
#include <vector>

#include "lab/stack/stack_study.h"

namespace stint {

// Whether so many right answers are within three standard errors of what
// guessing among `classes` gives, or fewer.
bool IsNearChance(int64_t correct, int64_t total, int64_t classes);

// Whether so many right answers are more than three standard errors below what
// a share of `published` gives.
bool IsBelow(int64_t correct, int64_t total, double published);

// Evaluates every model as it is on a few rows; a sentence for each that is
// near chance or below what is published. Models that cannot be evaluated are
// left to the study.
Result<std::vector<std::string>> CheckModels(const StackStudyOptions& options);

}  // namespace stint
