#include "engine/lower/merge_groups.h"

#include <algorithm>

#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"

namespace stint {
namespace {

constexpr int64_t kMostMerged = 4;

// How many groups of in x out channels make one that fits blocks; 1 where there
// is nothing to merge.
int64_t GroupsToMerge(int64_t groups, int64_t in, int64_t out, int64_t block) {
  if (groups == 1 || (in == 1 && out == 1)) return 1;
  for (int64_t m = 1; m <= std::min(kMostMerged, groups); ++m) {
    if (groups % m == 0 && in * m % block == 0 && out * m % block == 0) {
      return m;
    }
  }
  return 1;
}

// [oc, in, kernel] to [oc, in * merged, kernel]: the channels of an output's
// own group keep their weights, those of its neighbors get zeros.
Result<Tensor> Widen(const Tensor& w, int64_t groups, int64_t merged) {
  Shape shape = w.shape();
  shape[1] *= merged;
  STINT_ASSIGN_OR_RETURN(Tensor wide, Tensor::Allocate(DType::kFloat32, shape));
  std::fill_n(wide.data<float>(), wide.size(), 0.0f);
  const int64_t floats = w.size() / w.dim(0);  // of one output
  for (int64_t o = 0; o < w.dim(0); ++o) {
    const int64_t group = o / (w.dim(0) / groups);
    std::copy_n(w.data<float>() + o * floats, floats,
                wide.data<float>() + (o * merged + group % merged) * floats);
  }
  return wide;
}

}  // namespace

Status MergeGroups(const KernelSite& site, Graph* graph) {
  const int64_t block = ConvBlockedF32Block(site.isa);
  const std::vector<NodeId> order = graph->order();
  for (NodeId id : order) {
    const FusedConv* conv = As<FusedConv>(graph->node(id).op);
    if (conv == nullptr) continue;
    const auto& w = graph->value(graph->node(id).inputs[1]).constant;
    if (!w || w->rank() != 4 || w->dtype() != DType::kFloat32 ||
        !w->has_elements()) {
      continue;
    }
    const int64_t merged =
        GroupsToMerge(conv->group, w->dim(1), w->dim(0) / conv->group, block);
    if (merged == 1) continue;
    STINT_ASSIGN_OR_RETURN(Tensor wide, Widen(*w, conv->group, merged));
    FusedConv op = *conv;
    op.group /= merged;
    const ValueId weights =
        graph->AddConstant(graph->node(id).name + ".merged", std::move(wide));
    graph->node(id).op = std::move(op);
    graph->node(id).inputs[1] = weights;
  }
  for (size_t i = 0; i < graph->num_subgraphs(); ++i) {
    STINT_RETURN_IF_ERROR(
        MergeGroups(site, &graph->subgraph({static_cast<int32_t>(i)})));
  }
  return OkStatus();
}

}  // namespace stint
