#pragma once
// The header of NumPy's .npy format: a magic, a version and a Python dict
// literal that gives element type, order and shape.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "stint/status.h"
#include "stint/tensor.h"

namespace stint {

struct NpyHeader {
  bool big_endian = false;
  char kind = 0;          // NumPy's letter: f i u b c U S
  int64_t item_size = 0;  // the number after the letter
  bool fortran_order = false;
  Shape shape;
  size_t data_offset = 0;  // where the elements begin
};

// Versions 1 to 3. Fails with kDamaged on anything that is not such a header,
// with kUnsupported on structured and object types and unknown versions.
Result<NpyHeader> ParseNpyHeader(std::string_view bytes);

// The bytes before the elements, as numpy.save writes them (C order), for a
// type such as "<f4".
std::string FormatNpyHeader(std::string_view descr, const Shape& shape);

}  // namespace stint
