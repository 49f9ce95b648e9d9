#pragma once
// What the answers of a model suffer when one of its shards has fewer bits, or
// when a sub-network stands in for the whole.

#include <functional>
#include <string>
#include <vector>

#include "engine/bind/kernel_site.h"
#include "weights/package/package.h"

namespace stint {

class ThreadPool;

struct ImportanceJob {
  const Package* package = nullptr;  // an elastic file
  KernelSite site;
  ThreadPool* pool = nullptr;
  std::vector<std::vector<Value>> samples;  // inputs of the graph
  // A shard costs what answers differ from those of the whole at the highest
  // fidelity. With the right classes of the samples, that counts by half, and
  // by half what these lose in log-probability. Few samples say little of a
  // single shard by their classes alone, so that classes that happen to gain
  // count as none.
  std::vector<int> labels;
  // Keeps what is done, so that a job that was killed goes on; empty: nothing
  // is kept.
  std::string journal;
  std::function<void(int64_t done, int64_t total)> progress;
};

// The package's catalog with importance and the losses of sub-networks. One
// shard is lowered at a time, to 2, 3 and 4 bits; what more bits cost follows
// from the distortion of its weights. So that lowering all shards at once costs
// what it does, their costs are scaled to a measurement of that.
Result<ShardCatalog> MeasureImportance(const ImportanceJob& job);

}  // namespace stint
