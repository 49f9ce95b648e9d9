#pragma once
// The passes in the order in which they run.

#include <set>
#include <span>
#include <string>
#include <vector>

#include "convert/passes/pass.h"

namespace stint {

std::span<const Pass> AllPasses();

struct PassReport {
  std::string_view name;
  int rewrites = 0;
  int64_t nodes = 0;  // left after it, in all subgraphs
  double ms = 0;
};

struct PassOptions {
  std::set<std::string> disabled;  // names; an unknown one is an error
  // Only passes after which ONNX still knows every operator.
  bool simplify_only = false;
  // Called after each pass that changed the graph; for dumps. May be empty.
  std::function<void(const PassReport&, const Graph&)> observer;
};

// Takes out nodes none of whose outputs is read, and the elements of constants
// that nobody reads.
void RemoveDeadNodes(Graph* graph);

// Runs every pass on the graph and its subgraphs, checking the graph after
// each. An error names the pass.
Result<std::vector<PassReport>> RunPasses(Graph* graph,
                                          const PassOptions& options = {});

}  // namespace stint
