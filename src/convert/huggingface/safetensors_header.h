#pragma once
// The header of a safetensors file: 8 bytes of length, then JSON that gives
// each tensor's element type, shape and place in the data that follows.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stint/status.h"
#include "stint/tensor.h"

namespace stint {

struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;
  int64_t begin = 0;  // byte offsets into the data
  int64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // by offset, without gap or overlap
  std::span<const uint8_t> data;          // covered by them entirely
};

// Fails as Safetensors::Read does.
Result<SafetensorsHeader> ReadSafetensorsHeader(std::span<const uint8_t> bytes,
                                                const std::string& file);

}  // namespace stint
