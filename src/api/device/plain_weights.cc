#include "api/device/plain_weights.h"

#include "engine/bind/restore_weights.h"

namespace stint {
namespace {

bool LacksWeights(const Graph& graph) {
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (constant && !constant->has_elements()) return true;
  }
  return false;
}

}  // namespace

void ReleaseConstant(ValueId id, Graph* graph) {
  if (static_cast<size_t>(id.index) >= graph->num_values()) return;
  auto& constant = graph->value(id).constant;
  if (constant) constant->DropElements();
}

Status PlainWeights::Restore() {
  if (!LacksWeights(*package_->graph)) return OkStatus();
  restored_ = package_->graph->Clone();
  return RestoreWeights(package_->packed, restored_.get());
}

void PlainWeights::Release(ValueId id) {
  ReleaseConstant(id, package_->graph.get());
  if (restored_ != nullptr) ReleaseConstant(id, restored_.get());
}

}  // namespace stint
