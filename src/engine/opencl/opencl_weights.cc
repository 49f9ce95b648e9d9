#include "engine/opencl/opencl_weights.h"

namespace stint {

Result<OpenClBuffer> OpenClWeights::Get(
    const std::string& key, const std::function<std::vector<float>()>& make) {
  const auto it = buffers_.find(key);
  if (it != buffers_.end()) return it->second;
  const std::vector<float> values = make();
  const auto bytes = static_cast<int64_t>(values.size() * sizeof(float));
  STINT_ASSIGN_OR_RETURN(OpenClBuffer buffer,
                         device_->Upload(values.data(), bytes));
  if (key.empty()) return buffer;
  bytes_ += bytes;
  return buffers_.emplace(key, std::move(buffer)).first->second;
}

}  // namespace stint
