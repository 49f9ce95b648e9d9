#include "convert/compress/prune/channel_energy.h"

namespace stint {
namespace {

// Of the channels of a value, sample by sample.
struct EnergySums {
  std::vector<double> sums;
  double count = 0;
  // Rows of one length are what channels can be told in.
  bool of_one_length = true;

  void Add(const Tensor& tensor) {
    if (sums.empty()) sums.resize(static_cast<size_t>(tensor.dim(1)), 0.0);
    of_one_length = of_one_length && tensor.dim(1) == std::ssize(sums);
    if (!of_one_length) return;
    const int64_t inner = tensor.size() / (tensor.dim(0) * tensor.dim(1));
    const float* x = tensor.data<float>();
    for (int64_t n = 0; n < tensor.dim(0); ++n) {
      for (double& sum : sums) {
        for (int64_t i = 0; i < inner; ++i, ++x) {
          sum += static_cast<double>(*x) * *x;
        }
      }
    }
    count += static_cast<double>(tensor.dim(0) * inner);
  }
};

}  // namespace

Result<ChannelEnergies> MeasureEnergies(const Graph& graph,
                                        const Samples& samples,
                                        ThreadPool* pool) {
  std::map<ValueId, EnergySums> seen;
  STINT_RETURN_IF_ERROR(
      RunLayerwise(graph, samples, pool, [&](NodeId id, Tensor* output) {
        if (output->rank() >= 2) seen[graph.node(id).outputs[0]].Add(*output);
        return OkStatus();
      }));
  ChannelEnergies energies;
  for (auto& [value, energy] : seen) {
    if (!energy.of_one_length) continue;
    for (double& sum : energy.sums) sum /= energy.count;
    energies[value] = std::move(energy.sums);
  }
  return energies;
}

}  // namespace stint
