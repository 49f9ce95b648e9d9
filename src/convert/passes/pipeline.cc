#include "convert/passes/pipeline.h"

#include <algorithm>

#include "core/platform/clock.h"

namespace stint {
namespace {

// The first of kPasses, those that simplify.
constexpr size_t kSimplifyPasses = 4;

constexpr Pass kPasses[] = {
    // Shapes first: what is known of them decides what can be folded.
    {"simplify-shapes", SimplifyShapes},
    {"fold-constants", FoldConstants},
    {"remove-no-ops", RemoveNoOps},
    {"fold-batch-norm", FoldBatchNorm},
    {"fuse-gelu", FuseGelu},
    {"fuse-swish", FuseSwish},
    {"fuse-layer-norm", FuseLayerNorm},
    {"fuse-conv", FuseConv},
    {"batch-norm-to-conv", BatchNormToConv},
    {"shortcut-to-conv", ShortcutToConv},
    {"fuse-linear", FuseLinear},
    {"fuse-attention", FuseAttention},
    {"merge-linears", MergeLinears},
    // The sum comes before the activation in a fused op.
    {"fuse-residual", FuseResidual},
    {"fuse-activation", FuseActivation},
    {"fuse-norm", FuseNorm},
};

Result<int> RunOn(const Pass& pass, Graph* graph) {
  STINT_ASSIGN_OR_RETURN(int rewrites, pass.run(graph));
  if (rewrites > 0) {
    STINT_RETURN_IF_ERROR(graph->SortNodes());
    RemoveDeadNodes(graph);
    STINT_RETURN_IF_ERROR(InferGraph(graph));
    STINT_RETURN_IF_ERROR(VerifyGraph(*graph));
  }
  for (size_t i = 0; i < graph->num_subgraphs(); ++i) {
    STINT_ASSIGN_OR_RETURN(
        const int inner,
        RunOn(pass, &graph->subgraph({static_cast<int32_t>(i)})));
    rewrites += inner;
  }
  return rewrites;
}

int64_t CountNodes(const Graph& graph) {
  int64_t count = static_cast<int64_t>(graph.order().size());
  for (size_t i = 0; i < graph.num_subgraphs(); ++i) {
    count += CountNodes(graph.subgraph({static_cast<int32_t>(i)}));
  }
  return count;
}

Status CheckNames(const std::set<std::string>& names) {
  for (const std::string& name : names) {
    if (std::none_of(std::begin(kPasses), std::end(kPasses),
                     [&](const Pass& pass) { return pass.name == name; })) {
      std::string known;
      for (const Pass& pass : kPasses) known += " " + std::string(pass.name);
      return InvalidArgument("no pass '" + name + "'; there are" + known);
    }
  }
  return OkStatus();
}

}  // namespace

std::span<const Pass> AllPasses() { return kPasses; }

void RemoveDeadNodes(Graph* graph) {
  std::vector<bool> read(graph->num_values(), false);
  for (ValueId out : graph->outputs()) read[out.index] = true;
  const std::vector<NodeId> order = graph->order();
  std::vector<bool> dead(graph->num_nodes(), false);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node& node = graph->node(*it);
    const bool needed = std::any_of(
        node.outputs.begin(), node.outputs.end(),
        [&](ValueId out) { return out.valid() && read[out.index]; });
    dead[it->index] = !needed;
    if (!needed) continue;
    for (ValueId in : node.inputs) {
      if (in.valid()) read[in.index] = true;
    }
  }
  graph->RemoveNodes([&](NodeId id) { return dead[id.index]; });
  for (size_t i = 0; i < read.size(); ++i) {
    if (!read[i]) graph->value({static_cast<int32_t>(i)}).constant.reset();
  }
}

Result<std::vector<PassReport>> RunPasses(Graph* graph,
                                          const PassOptions& options) {
  STINT_RETURN_IF_ERROR(CheckNames(options.disabled));
  RemoveDeadNodes(graph);
  std::vector<PassReport> reports;
  const std::span<const Pass> passes(
      kPasses, options.simplify_only ? kSimplifyPasses : std::size(kPasses));
  for (const Pass& pass : passes) {
    if (options.disabled.count(std::string(pass.name)) > 0) continue;
    const int64_t start = NowNs();
    const Result<int> rewrites = RunOn(pass, graph);
    if (!rewrites.ok()) {
      return rewrites.status().Annotate("pass " + std::string(pass.name));
    }
    reports.push_back({pass.name, *rewrites, CountNodes(*graph),
                       static_cast<double>(NowNs() - start) * 1e-6});
    if (*rewrites > 0 && options.observer) {
      options.observer(reports.back(), *graph);
    }
  }
  return reports;
}

}  // namespace stint
