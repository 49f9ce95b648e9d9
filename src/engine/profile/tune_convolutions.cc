#include "engine/profile/tune_convolutions.h"

#include "engine/choose/conv_choice.h"
#include "engine/profile/conv_layers.h"
#include "engine/profile/time_primitives.h"

namespace stint {

Result<std::vector<TunedLayer>> TuneConvolutions(const Graph& graph,
                                                 std::span<const Value> inputs,
                                                 const TuneOptions& options,
                                                 ConvCosts* costs) {
  const Isa isa = options.site.isa;
  STINT_ASSIGN_OR_RETURN(
      const std::vector<ConvLayer> layers,
      FindConvLayers(graph, inputs, options.site, options.pool));
  const auto report = [&](size_t done) {
    if (!options.progress) return;
    options.progress(static_cast<int64_t>(done),
                     static_cast<int64_t>(layers.size()));
  };
  std::vector<TunedLayer> tuned;
  const ThreadPool::Run awake(options.pool);
  for (size_t i = 0; i < layers.size(); ++i) {
    report(i);
    const ConvLayer& layer = layers[i];
    STINT_ASSIGN_OR_RETURN(
        auto times, TimePrimitives(layer.shape, layer.input, isa, options.pool,
                                   layer.pruned));
    if (times.empty()) continue;
    costs->Set(layer.name, std::move(times));
    tuned.push_back(
        {layer.name, layer.count(),
         ChooseConv(layer.shape, layer.input, {isa}).kernel->primitive});
  }
  report(layers.size());
  return tuned;
}

}  // namespace stint
