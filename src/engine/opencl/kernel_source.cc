#include "engine/opencl/kernel_source.h"

#include <span>

#include "core/base/checksum.h"
#include "engine/opencl/element_functions.h"

namespace stint {

std::string KernelSource() {
  std::string source(TileSource());
  source += ElementFunctionsSource();
  for (std::string_view part :
       {ConvSource(), LinearSource(), ElementwiseSource(), PoolSource(),
        MoveSource(), ReduceSource()}) {
    source += part;
  }
  return source;
}

std::string TextHash(std::string_view text) {
  return std::to_string(
      Checksum({reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
}

}  // namespace stint
