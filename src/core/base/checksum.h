#pragma once
// The checksum of everything that is stored: XXH3 with 64 bits.

#include <cstdint>
#include <span>

namespace stint {

uint64_t Checksum(std::span<const uint8_t> bytes);

}  // namespace stint
