#include "kernels/image_u8/loops.h"

namespace stint {
namespace {

struct Lanes;

}  // namespace

extern const ImageU8Kernel kImageU8Avx2;
const ImageU8Kernel kImageU8Avx2 =
    ImageU8Loops<Lanes>::Row("avx2", Isa::kAvx2);

}  // namespace stint
