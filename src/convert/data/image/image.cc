#include "convert/data/image/image.h"

#include "core/platform/file.h"

namespace stint {

Result<Image> DecodeImage(std::string_view bytes) {
  if (bytes.starts_with("\xff\xd8\xff")) return DecodeJpeg(bytes);
  if (bytes.starts_with("\x89PNG")) return DecodePng(bytes);
  return Unsupported("neither JPEG nor PNG by its first bytes");
}

Result<Image> ReadImage(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  Result<Image> image = DecodeImage(bytes);
  if (!image.ok()) return image.status().Annotate(path);
  return image;
}

}  // namespace stint
