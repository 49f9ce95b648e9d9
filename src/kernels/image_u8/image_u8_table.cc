#include "kernels/image_u8/image_u8_table.h"

#include "kernels/geometry/pick_best.h"

namespace stint {

extern const ImageU8Kernel kImageU8Generic;
#if defined(__x86_64__)
extern const ImageU8Kernel kImageU8Vnni;
extern const ImageU8Kernel kImageU8Avx2;
#endif

std::span<const ImageU8Kernel> ImageU8Table() {
  static const ImageU8Kernel kTable[] = {
#if defined(__x86_64__)
    kImageU8Vnni,
    kImageU8Avx2,
#endif
    kImageU8Generic,
  };
  return kTable;
}

const ImageU8Kernel& PickImageU8(Isa cap) {
  return PickBest(ImageU8Table(), cap);
}

}  // namespace stint
