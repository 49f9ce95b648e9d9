#include "engine/lower/lower_graph.h"

#include "engine/lower/block_channels.h"

namespace stint {

Result<std::unique_ptr<Graph>> LowerGraph(const Graph& graph,
                                          const KernelSite& site) {
  std::unique_ptr<Graph> lowered = graph.Clone();
  STINT_RETURN_IF_ERROR(BlockChannels(site, lowered.get()));
  STINT_RETURN_IF_ERROR(InferGraph(lowered.get()));
  STINT_RETURN_IF_ERROR(VerifyGraph(*lowered));
  return lowered;
}

}  // namespace stint
