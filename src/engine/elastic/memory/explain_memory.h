#pragma once
// What a process takes besides weights while it runs an elastic file, item by
// item.

#include <cstdint>
#include <vector>

#include "engine/elastic/coded_layers.h"
#include "engine/run/graph_runner.h"
#include "stint/budget.h"
#include "weights/package/package.h"

namespace stint {

// Who has memory of the heap.
struct MemoryOwners {
  const Package* package = nullptr;
  const CodedLayers* layers = nullptr;
  const GraphRunner* runner = nullptr;
  int64_t row_bytes = 0;     // of cached embedding rows and reads of them
  int64_t weight_bytes = 0;  // in memory now, which do not count
  int64_t margin_bytes = 0;  // for what will be touched later
};

// Kinds of pages as the system counts them now, and the heap by its owners:
// sizes of the containers they have, `other heap` is the rest of the pages.
// Empty where the system does not tell.
std::vector<MemoryItem> ExplainMemory(const MemoryOwners& owners);

// Adds what `total_bytes` has beyond the items as the item "other".
void AddOther(int64_t total_bytes, std::vector<MemoryItem>* items);

}  // namespace stint
