# OpenCL: headers to build with, and kernels that the library carries. The loader
# is looked for when a program asks for a device
# (docs/decisions/0026-opencl.md).
find_path(STINT_OPENCL_HEADERS CL/cl.h DOC "Folder of the OpenCL C headers")
if(NOT STINT_OPENCL_HEADERS)
  message(FATAL_ERROR "CL/cl.h not found: install opencl-c-headers, or give its "
    "folder by -DSTINT_OPENCL_HEADERS=DIR")
endif()
# Not as a system folder where it is one: that would change the order of others.
if(NOT STINT_OPENCL_HEADERS STREQUAL "/usr/include")
  target_include_directories(stint SYSTEM PRIVATE ${STINT_OPENCL_HEADERS})
endif()

set(opencl_kernels ${CMAKE_SOURCE_DIR}/src/engine/opencl/kernels)
stint_embed(stint engine/opencl/kernel_source.h
  TileSource ${opencl_kernels}/tile.cl
  ConvSource ${opencl_kernels}/conv.cl
  LinearSource ${opencl_kernels}/linear.cl
  ElementwiseSource ${opencl_kernels}/elementwise.cl
  PoolSource ${opencl_kernels}/pool.cl
  MoveSource ${opencl_kernels}/move.cl
  ReduceSource ${opencl_kernels}/reduce.cl)
