#include "kernels/image_u8/loops.h"

namespace stint {
namespace {

struct Lanes;

}  // namespace

extern const ImageU8Kernel kImageU8Avx512;
const ImageU8Kernel kImageU8Avx512 =
    ImageU8Loops<Lanes>::Row("avx512", Isa::kAvx512);

}  // namespace stint
