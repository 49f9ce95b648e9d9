#pragma once
// Constants on the device, each there once for all programs of a runner.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/opencl/opencl_device.h"

namespace stint {

class OpenClWeights {
 public:
  explicit OpenClWeights(const OpenClDevice* device) : device_(device) {}

  // What `make` gives, made and sent when `key` is asked for the first time; an
  // empty key is new each time.
  Result<OpenClBuffer> Get(const std::string& key,
                           const std::function<std::vector<float>()>& make);
  int64_t bytes() const { return bytes_; }

 private:
  const OpenClDevice* device_;
  std::map<std::string, OpenClBuffer> buffers_;
  int64_t bytes_ = 0;
};

}  // namespace stint
