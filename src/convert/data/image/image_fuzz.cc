// Decodes arbitrary bytes as a picture.

#include <cstdint>
#include <cstdlib>

#include "convert/data/image/image.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto image =
      stint::DecodeImage({reinterpret_cast<const char*>(data), size});
  if (!image.ok()) return 0;
  if (image->rgb.size() != size_t{3} * image->width * image->height) {
    std::abort();
  }
  return 0;
}
