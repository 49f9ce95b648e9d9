#pragma once
// A package with float32 weights as an elastic .stint file.

#include <functional>
#include <string>

#include "core/platform/thread_pool.h"
#include "weights/package/package.h"

namespace stint {

struct ElasticOptions {
  int bits = kPlaneMaxBits;  // highest fidelity
  int row_bits = 4;          // of tables of which rows are gathered
  ShardOptions shards;
  // Called now and then with weights that are done and their total.
  std::function<void(int64_t done, int64_t total)> progress;
};

struct ElasticPackageReport {
  int64_t bytes = 0;  // of the file
  int64_t layers = 0;
  int64_t shards = 0;
  int64_t tables = 0;
};

// Cuts the package's weights into shards, codes them and writes the file to
// `path`. Besides the package, one layer of codes is in memory at a time. The
// same bytes for any number of threads. kInvalidArgument for weights that are
// not finite or exist only in the layout of a kernel.
Result<ElasticPackageReport> WriteElasticPackage(const Package& package,
                                                 const std::string& path,
                                                 const ElasticOptions& options,
                                                 ThreadPool* pool);

}  // namespace stint
