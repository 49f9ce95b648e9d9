#pragma once
// Whether plans cost what importance says, on rows of data that it was not
// measured on.

#include <vector>

#include "engine/bind/kernel_site.h"
#include "weights/package/package.h"

namespace stint {

class ThreadPool;

struct PlanCheckJob {
  const Package* package = nullptr;  // an elastic file
  KernelSite site;
  ThreadPool* pool = nullptr;
  std::vector<std::vector<Value>> samples;  // inputs of the graph, held back
};

// `catalog`, whose importance has been measured, with checks: what a dozen
// plans of the whole network and the sub-networks cost the samples. Where bits
// that go by the importance cost more than bits of the same bytes that go to
// all alike, by more than the samples' standard error, the importance becomes
// one that gives to all alike.
Result<ShardCatalog> CheckPlans(const PlanCheckJob& job, ShardCatalog catalog);

}  // namespace stint
