# Cross-compiles for AArch64 and runs tests under QEMU's user mode.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
# GCC 12 crashes on a reduction of softmax_f32/reference.h (vect_transform_reduction);
# kernels are written in vectors and lose nothing.
# Libraries and their headers are unpacked here (tools/setup.sh
# aarch64-libraries); kernels alone need none.
get_filename_component(STINT_AARCH64_ROOT
  ${CMAKE_CURRENT_LIST_DIR}/../.cache/aarch64 ABSOLUTE)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_FLAGS_INIT "-fno-tree-loop-vectorize \
-isystem ${STINT_AARCH64_ROOT}/usr/include \
-isystem ${STINT_AARCH64_ROOT}/usr/include/aarch64-linux-gnu")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu ${STINT_AARCH64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
