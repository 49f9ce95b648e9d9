#include "convert/compress/channel_energy.h"

namespace stint {
namespace {

void Add(const Tensor& tensor, std::vector<double>* sums, double* count) {
  const int64_t channels = tensor.dim(1);
  const int64_t inner = tensor.size() / (tensor.dim(0) * channels);
  sums->resize(static_cast<size_t>(channels), 0.0);
  const float* x = tensor.data<float>();
  for (int64_t n = 0; n < tensor.dim(0); ++n) {
    for (double& sum : *sums) {
      for (int64_t i = 0; i < inner; ++i, ++x) {
        sum += static_cast<double>(*x) * *x;
      }
    }
  }
  *count += static_cast<double>(tensor.dim(0) * inner);
}

}  // namespace

Result<ChannelEnergies> MeasureEnergies(const Graph& graph,
                                        const Samples& samples,
                                        ThreadPool* pool) {
  ChannelEnergies energies;
  STINT_RETURN_IF_ERROR(RunLayerwise(
      graph, samples, pool, [&](NodeId id, std::span<Tensor* const> outputs) {
        std::vector<double> sums;
        double count = 0;
        for (const Tensor* output : outputs) {
          // Rows of one length are what channels can be told in.
          if (output->rank() < 2 || output->dim(1) != outputs[0]->dim(1)) {
            return OkStatus();
          }
          Add(*output, &sums, &count);
        }
        for (double& sum : sums) sum /= count;
        energies[graph.node(id).outputs[0]] = std::move(sums);
        return OkStatus();
      }));
  return energies;
}

}  // namespace stint
