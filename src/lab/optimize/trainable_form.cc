#include "lab/optimize/trainable_form.h"

namespace stint {

Result<Model> TrainableForm(const Model& model, const OptimizeOptions& options,
                            const OptimizeRow& row) {
  CompressOptions compress = row.compress;
  compress.quantize = QuantizeKind::kNone;
  for (auto& [name, layer] : compress.layers) layer.int8 = false;
  compress.data = options.calibration;
  compress.preprocessing = options.preprocessing;
  STINT_ASSIGN_OR_RETURN(CompressedModel compressed,
                         CompressModel(model, compress));
  return std::move(compressed.model);
}

}  // namespace stint
