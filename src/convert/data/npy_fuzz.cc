// Decodes arbitrary bytes as .npy; what decodes must survive writing and
// reading again.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "convert/data/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using stint::Result;
  using stint::Tensor;
  const Result<Tensor> tensor =
      stint::DecodeNpy({reinterpret_cast<const char*>(data), size});
  if (!tensor.ok()) return 0;
  const Result<std::string> bytes = stint::EncodeNpy(*tensor);
  if (!bytes.ok()) return 0;  // an S string that is not UTF-8
  const Result<Tensor> again = stint::DecodeNpy(*bytes);
  if (!again.ok() || again->shape() != tensor->shape()) std::abort();
  return 0;
}
