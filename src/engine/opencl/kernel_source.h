#pragma once
// The text of all kernels.

#include <string>
#include <string_view>

namespace stint {

std::string KernelSource();

// A short name for a text: another one has another.
std::string TextHash(std::string_view text);

// Files of kernels/, put into the library when it is built.
std::string_view TileSource();
std::string_view ConvSource();
std::string_view LinearSource();
std::string_view ElementwiseSource();
std::string_view PoolSource();
std::string_view MoveSource();
std::string_view ReduceSource();

}  // namespace stint
