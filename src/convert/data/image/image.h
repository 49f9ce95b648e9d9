#pragma once
// Pictures: 8-bit RGB in memory, decoded from JPEG and PNG. Pixels equal those
// of PIL's Image.open(...).convert("RGB").

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stint/status.h"

namespace stint {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;  // [height][width][3]
};

// Pictures with more pixels are refused before anything is allocated for them.
inline constexpr int64_t kMaxImagePixels = int64_t{1} << 26;

// JPEG or PNG, told apart by their first bytes. Fails with kDamaged on
// truncated or corrupt data, with kUnsupported on other formats and CMYK JPEG,
// with kResourceExhausted on pictures over kMaxImagePixels. Transparency is
// dropped.
Result<Image> DecodeImage(std::string_view bytes);
Result<Image> DecodeJpeg(std::string_view bytes);
Result<Image> DecodePng(std::string_view bytes);

// The same from a file, which errors name.
Result<Image> ReadImage(const std::string& path);

}  // namespace stint
