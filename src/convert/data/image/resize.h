#pragma once
// Resizing of 8-bit pictures, bit for bit as PIL's Image.resize with BILINEAR:
// half-pixel centers, and a triangle as wide as the reduction (antialiasing).

#include "convert/data/image/image.h"
#include "stint/status.h"

namespace stint {

// Fails on sizes that are not positive or exceed kMaxImagePixels, and on an
// empty picture.
Result<Image> ResizeBilinear(const Image& image, int width, int height);

}  // namespace stint
