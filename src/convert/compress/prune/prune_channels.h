#pragma once
// Channel pruning: whole channels are taken out of all weights that make or
// read them, so that every tensor on their way really shrinks.

#include <map>
#include <string>
#include <vector>

#include "convert/compress/prune/channel_energy.h"

namespace stint {

struct ChannelPruning {
  double ratio = 0;  // share of channels that go, in [0, 1)
  // Numbers of channels that stay are rounded up to a multiple of this: vectors
  // have so many lanes, and part of one costs as much as a whole.
  int64_t multiple = 8;
  // Ratios for the channels that single layers make, by name: where there are
  // any, others stay, and `ratio` does not count. Of layers whose channels
  // depend on each other the largest counts.
  std::map<std::string, double> ratios = {};
  // How large channels are over data, or null: then weights alone say which
  // channels matter.
  const ChannelEnergies* energies = nullptr;
};

struct PrunedChannels {
  // Which channels of the original each node still has that reads a constant
  // by channels.
  std::map<NodeId, std::vector<int64_t>> kept;
  int64_t before = 0;  // channels of nodes with weights
  int64_t after = 0;
  int64_t fixed = 0;  // of `before`, those that could not go
  // By what holds them: an output, or an operator that channels are not
  // followed through.
  std::map<std::string, int64_t> held;
};

// Of the channels that depend on the same layers those go that carry least: the
// norm of what they are in the layers that read them, or of all weights that
// make or read them where there are no energies.
// kInvalidArgument when the ratio is out of range; kUnsupported when no channel
// can go, naming what holds them.
Result<PrunedChannels> PruneChannels(const ChannelPruning& pruning,
                                     Graph* graph);

}  // namespace stint
