// Any bytes as a safetensors file must give tensors within those bytes or an
// error.

#include <cstddef>
#include <cstdint>

#include "convert/huggingface/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = stint::Safetensors::Read({data, size}, "input", nullptr);
  if (!file.ok()) return 0;
  unsigned sum = 0;
  for (const std::string& name : file->names()) {
    const auto tensor = file->Get(name);
    if (!tensor.ok()) continue;
    const auto* bytes = static_cast<const uint8_t*>(tensor->raw());
    for (size_t i = 0; i < tensor->bytes(); ++i) sum += bytes[i];
  }
  volatile unsigned sink = sum;
  (void)sink;
  return 0;
}
