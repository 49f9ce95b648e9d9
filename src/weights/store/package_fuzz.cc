// Any bytes as a .stint file, and, behind the checksums that would stop them
// there, as its graph.

#include <cstddef>
#include <cstdint>

#include "weights/store/graph_codec.h"
#include "weights/store/package_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)stint::ReadPackageBytes({data, size}, nullptr);
  const stint::store::GetTensor get =
      [](uint32_t i) -> stint::Result<stint::Tensor> {
    if (i > 3) return stint::Damaged("no such tensor");
    return stint::Tensor::Allocate(stint::DType::kFloat32, {2, 3});
  };
  (void)stint::store::DecodeGraph({data, size}, get);
  return 0;
}
