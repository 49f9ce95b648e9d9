// Any bytes as a .stint file, and, behind the checksums that would stop them
// there, as its graph and its catalog of shards.

#include <cstddef>
#include <cstdint>

#include "weights/store/elastic/catalog_codec.h"
#include "weights/store/elastic/shard_reader.h"
#include "weights/store/graph_codec.h"
#include "weights/store/package_file.h"

namespace {

stint::Result<stint::Tensor> AnyTensor(uint32_t i) {
  using stint::DType;
  if (i == 4) return stint::Tensor::Allocate(DType::kInt8, {2 * 508});
  if (i == 5) return stint::Tensor::Allocate(DType::kFloat32, {16});
  if (i == 6) return stint::Tensor::Allocate(DType::kUInt32, {1});
  if (i == 7) return stint::Tensor::Allocate(DType::kFloat32, {1});
  if (i > 3) return stint::Damaged("no such tensor");
  return stint::Tensor::Allocate(DType::kFloat32, {2, 3});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto package = stint::ReadPackageBytes({data, size}, nullptr);
  if (package.ok() && package->shards != nullptr) {
    (void)stint::RestoreShards(*package->shards, package->graph.get());
  }
  const stint::store::GetTensor get = AnyTensor;
  (void)stint::store::DecodeGraph({data, size}, get);
  (void)stint::store::DecodeCatalog({data, size}, get,
                                    {4096, 7 * 4096, 8 * 4096, 4096});
  return 0;
}
