#include "kernels/gemm_s8/lanes_avx2.h"
#include "kernels/image_u8/loops.h"

namespace stint {

extern const ImageU8Kernel kImageU8Avx2;
const ImageU8Kernel kImageU8Avx2 =
    ImageU8Loops<Avx2S8>::Row("avx2", Isa::kAvx2);

}  // namespace stint
