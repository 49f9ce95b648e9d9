#include "engine/calibrate/calibration.h"

namespace stint {
namespace {

KernelSite InFloat32(KernelSite site) {
  site.precision = Precision::kFloat32;
  return site;
}

}  // namespace

Calibration::Calibration(const Graph& graph, const KernelSite& site,
                         ThreadPool* pool)
    : graph_(graph),
      runner_(&graph, InFloat32(site), pool),
      histograms_(graph.num_values()) {
  runner_.set_observer(this);
}

Result<std::unique_ptr<Calibration>> Calibration::Create(const Graph& graph,
                                                         const KernelSite& site,
                                                         ThreadPool* pool) {
  std::unique_ptr<Calibration> made(new Calibration(graph, site, pool));
  STINT_RETURN_IF_ERROR(made->runner_.Prepare());
  return made;
}

void Calibration::Add(ValueId id, const Value& value) {
  if (!id.valid() || !value.is_tensor()) return;
  const Tensor& tensor = value.tensor();
  if (tensor.dtype() != DType::kFloat32 || tensor.rank() != 4) return;
  auto& histogram = histograms_[static_cast<size_t>(id.index)];
  if (histogram == nullptr) histogram = std::make_unique<Histogram>();
  histogram->Add({tensor.data<float>(), static_cast<size_t>(tensor.size())});
}

// Inputs of the graph are made by no step: whoever reads one shows it.
void Calibration::OnOutputs(const Node& node, EvalContext& ctx) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const int k = static_cast<int>(i);
    if (!node.inputs[i].valid() || !ctx.has(k)) continue;
    const GraphValue& value = graph_.value(node.inputs[i]);
    if (value.producer.valid() || value.constant) continue;
    Add(node.inputs[i], ctx.in_value(k));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    Add(node.outputs[i], ctx.out_value(static_cast<int>(i)));
  }
}

ActivationRanges Calibration::Ranges() const {
  ActivationRanges ranges(histograms_.size());
  for (size_t i = 0; i < histograms_.size(); ++i) {
    const auto& histogram = histograms_[i];
    if (histogram == nullptr || histogram->empty()) continue;
    ranges[i] = histogram->Range();
  }
  return ranges;
}

}  // namespace stint
