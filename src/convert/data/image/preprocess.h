#pragma once
// From pictures to the input tensor of an image model.

#include <span>

#include "convert/data/image/image.h"
#include "stint/preprocessing.h"
#include "stint/status.h"
#include "stint/tensor.h"

namespace stint {

// A float32 tensor [images, 3, height, width]. Fails when there is no picture,
// when sizes differ after resizing, and when scale or std is 0.
Result<Tensor> Preprocess(std::span<const Image> images,
                          const Preprocessing& preprocessing);

}  // namespace stint
