#pragma once
// What a plan answers depends on its sub-network and the bits of each slice
// alone, not on what is pinned, the ring or storage: plans that agree in those
// give the same answers bit for bit, with the same threads and instruction set.

#include <string>

#include "engine/plan/saved_plan.h"

namespace stint {

// The plan that answers alike from memory: everything it uses is pinned, and it
// has no limits. Of plans that answer alike it is the same.
SavedPlan AnsweringPlan(const SavedPlan& saved);

// 16 hexadecimal digits, the same for plans that answer alike.
std::string AnswersKey(const SavedPlan& saved);

}  // namespace stint
