#pragma once
// Tensors in NumPy's .npy format.

#include <string>
#include <string_view>

#include "stint/status.h"
#include "stint/tensor.h"

namespace stint {

// Reads all plain NumPy types (floats of 16 to 64 bits, complex, integers,
// bool, U and S strings) in either byte order; Fortran order becomes row-major.
// Fails with kDamaged when the bytes are not what the header announces and with
// kUnsupported on other types.
Result<Tensor> DecodeNpy(std::string_view bytes);

// Writes version 1 in C order, byte for byte as numpy.save does. Types that
// NumPy lacks are widened exactly: bfloat16 and narrower floats to float32,
// integers under 8 bits to 8 bits. Strings must be valid UTF-8.
Result<std::string> EncodeNpy(const Tensor& tensor);

// The same with files; ReadNpy also takes .npy.gz and .npy.xz. Errors name the
// file.
Result<Tensor> ReadNpy(const std::string& path);
Status WriteNpy(const std::string& path, const Tensor& tensor);

}  // namespace stint
