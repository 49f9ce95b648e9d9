# The kernels and their tests alone: what `make neon` cross-compiles. GoogleTest
# is built from Debian's sources, since there is no package of it for the target.
stint_library(stint core/base core/platform core/tensor kernels)
target_link_libraries(stint PUBLIC Threads::Threads)
set(STINT_LIBRARIES stint)

enable_testing()
add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest
                 EXCLUDE_FROM_ALL)
stint_tests()
# QEMU's vfork hides that an exec has failed, and QEMU keeps what a program
# gives back.
set_tests_properties(test_core_platform PROPERTIES ENVIRONMENT
  "GTEST_FILTER=-Process.MissingProgramIsNotFound:Heap.FreedBlocksGoBack")
