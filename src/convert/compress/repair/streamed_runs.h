#pragma once
// A graph and a changed clone of it, run side by side over many samples as far
// as one node after the other, within a limit of memory.

#include <functional>
#include <set>
#include <vector>

#include "convert/compress/repair/layerwise_run.h"

namespace stint {

struct TwinGraphs {
  const Graph* original = nullptr;
  const Graph* changed = nullptr;  // null: the original alone
  // Of the original's nodes: each behind those that it reads from.
  std::vector<NodeId> order = {};
  std::set<NodeId> live = {};  // those that `changed` still has
  std::set<NodeId> same = {};  // of these, those that give what they gave
};

// What is alive between two nodes is kept for all samples where that fits;
// from the last place where it did, nodes run anew. So memory does not grow
// with the number of samples, and time does where it is short.
class StreamedRuns {
 public:
  // Graphs, samples and pool must outlive it.
  StreamedRuns(TwinGraphs twins, const Samples& samples, int64_t kept_bytes,
               ThreadPool* pool);

  // Runs the original once and sees how large everything is.
  Status Measure();
  // Elements of what a node first gives on a sample; after Measure().
  int64_t SizeOn(size_t sample, NodeId node) const {
    return sizes_[static_cast<size_t>(node.index)][sample];
  }

  // Nodes before order[position] have run in both graphs, and that node in the
  // original. `now` is not to be used where there is no changed graph.
  using Visitor =
      std::function<Status(size_t sample, LayerRun* was, LayerRun* now)>;
  // For each sample. Positions must rise from call to call; constants of nodes
  // from this one on may change between calls.
  Status Visit(size_t position, const Visitor& visitor);

 private:
  struct Kept {
    std::vector<HeldValue> was;
    std::vector<HeldValue> now;
  };

  void FindKeptBytes();
  std::optional<size_t> PlaceToKeep(size_t position) const;
  Status RunOriginal(size_t position);
  Status RunChanged(size_t position);

  const TwinGraphs twins_;
  const Samples& samples_;
  const int64_t kept_bytes_;
  LayerRun was_;
  std::optional<LayerRun> now_;
  std::vector<std::vector<int64_t>> sizes_;  // by node, by sample
  std::vector<int64_t> value_bytes_;         // of all samples
  // By position: of what is alive when its node has run in the original.
  std::vector<int64_t> alive_bytes_;
  std::vector<Kept> kept_;         // by sample
  std::optional<size_t> kept_at_;  // their position
};

}  // namespace stint
