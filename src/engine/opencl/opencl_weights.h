#pragma once
// Constants on the device, each there once for all programs of a runner.

#include <map>
#include <string>

#include "engine/opencl/opencl_device.h"

namespace stint {

class OpenClWeights {
 public:
  explicit OpenClWeights(const OpenClDevice* device) : device_(device) {}

  // `count` floats that `fill` writes when `key` is asked for the first time;
  // an empty key is new each time.
  Result<OpenClBuffer> Get(const std::string& key, int64_t count,
                           FunctionRef<void(float*)> fill);
  int64_t bytes() const { return bytes_; }

 private:
  const OpenClDevice* device_;
  std::map<std::string, OpenClBuffer> buffers_;
  int64_t bytes_ = 0;
};

}  // namespace stint
