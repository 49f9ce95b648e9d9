#include "kernels/image_u8/loops.h"

namespace stint {
namespace {

struct Lanes;

}  // namespace

extern const ImageU8Kernel kImageU8Generic;
const ImageU8Kernel kImageU8Generic =
    ImageU8Loops<Lanes>::Row("generic", Isa::kBaseline);

}  // namespace stint
