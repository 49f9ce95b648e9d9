#include "engine/opencl/opencl_weights.h"

namespace stint {

Result<OpenClBuffer> OpenClWeights::Get(const std::string& key, int64_t count,
                                        FunctionRef<void(float*)> fill) {
  const auto it = buffers_.find(key);
  if (it != buffers_.end()) return it->second;
  STINT_ASSIGN_OR_RETURN(OpenClBuffer buffer, device_->Filled(count, fill));
  if (key.empty()) return buffer;
  bytes_ += count * static_cast<int64_t>(sizeof(float));
  return buffers_.emplace(key, std::move(buffer)).first->second;
}

}  // namespace stint
