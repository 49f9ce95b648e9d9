#include "kernels/gemm_s8/lanes_vnni.h"
#include "kernels/image_u8/loops.h"

namespace stint {

extern const ImageU8Kernel kImageU8Vnni;
const ImageU8Kernel kImageU8Vnni =
    ImageU8Loops<VnniS8>::Row("vnni", Isa::kVnni);

}  // namespace stint
