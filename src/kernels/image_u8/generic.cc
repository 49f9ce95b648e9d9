#include "kernels/gemm_s8/lanes_generic.h"
#include "kernels/image_u8/loops.h"

namespace stint {

extern const ImageU8Kernel kImageU8Generic;
const ImageU8Kernel kImageU8Generic =
    ImageU8Loops<GenericS8>::Row("generic", Isa::kBaseline);

}  // namespace stint
