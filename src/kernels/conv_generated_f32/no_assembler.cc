#include "kernels/conv_generated_f32/tile_code.h"

namespace stint {

#if !defined(__x86_64__)
Result<TileCode> AssembleTiles(const std::vector<TileSpec>&, Isa) {
  return Unsupported("generated code is for x86-64 only");
}
#endif

}  // namespace stint
