#pragma once
// The functions of OpenCL 1.2 that the provider calls. They are looked up while
// the program runs, so that nothing needs OpenCL that does not use it.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <memory>
#include <string>

#include "stint/status.h"

namespace stint {

// F(name) for each of them.
#define STINT_OPENCL_FUNCTIONS(F) \
  F(clBuildProgram)               \
  F(clCreateBuffer)               \
  F(clCreateCommandQueue)         \
  F(clCreateContext)              \
  F(clCreateKernel)               \
  F(clCreateProgramWithBinary)    \
  F(clCreateProgramWithSource)    \
  F(clCreateSubBuffer)            \
  F(clEnqueueMapBuffer)           \
  F(clEnqueueNDRangeKernel)       \
  F(clEnqueueReadBuffer)          \
  F(clEnqueueUnmapMemObject)      \
  F(clEnqueueWriteBuffer)         \
  F(clFinish)                     \
  F(clGetDeviceIDs)               \
  F(clGetDeviceInfo)              \
  F(clGetKernelWorkGroupInfo)     \
  F(clGetPlatformIDs)             \
  F(clGetPlatformInfo)            \
  F(clGetProgramBuildInfo)        \
  F(clGetProgramInfo)             \
  F(clReleaseCommandQueue)        \
  F(clReleaseContext)             \
  F(clReleaseKernel)              \
  F(clReleaseMemObject)           \
  F(clReleaseProgram)             \
  F(clSetKernelArg)

struct OpenClApi {
#define STINT_OPENCL_MEMBER(name) decltype(&::name) name = nullptr;
  STINT_OPENCL_FUNCTIONS(STINT_OPENCL_MEMBER)
#undef STINT_OPENCL_MEMBER

  // From the system's ICD loader. kUnsupported when there is none.
  static Result<std::shared_ptr<const OpenClApi>> Load();
};

// An error of `call` by its name and number; ok for CL_SUCCESS.
Status OpenClStatus(cl_int code, const std::string& call);

}  // namespace stint
