#include "core/platform/cpu_info.h"
#include "core/platform/thread_pool.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"
#include "engine/run/zero_inputs.h"
#include "lab/networks/make_network.h"
#include "weights/package/package.h"

namespace stint {

Result<NetworkSize> SizeOf(const Model& model, int64_t batch,
                           int64_t sequence) {
  const Package& package = *model.package();
  ThreadPool pool(1);
  const KernelSite site{DetectIsa()};
  STINT_ASSIGN_OR_RETURN(const auto graph, LowerGraph(*package.graph, site));
  GraphRunner runner(graph.get(), site, &pool);
  runner.set_packed(&package.packed);
  STINT_RETURN_IF_ERROR(runner.Prepare());
  STINT_ASSIGN_OR_RETURN(
      const auto inputs,
      ZeroInputs(*graph, {.batch = batch, .sequence = sequence}));
  STINT_ASSIGN_OR_RETURN(const auto cost, runner.CostFor(inputs));
  return NetworkSize{cost.macs,
                     static_cast<int64_t>(package.graph->order().size())};
}

}  // namespace stint
