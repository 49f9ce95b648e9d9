#include "engine/opencl/opencl_api.h"

#include "core/platform/shared_library.h"

namespace stint {
namespace {

constexpr const char* kLoader = "libOpenCL.so.1";

struct ErrorName {
  cl_int code;
  const char* name;
};
constexpr ErrorName kErrorNames[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {CL_MISALIGNED_SUB_BUFFER_OFFSET, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
};

bool IsExhaustion(cl_int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
         code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY ||
         code == CL_INVALID_BUFFER_SIZE;
}

}  // namespace

Result<std::shared_ptr<const OpenClApi>> OpenClApi::Load() {
  const auto library = SharedLibrary::Open(kLoader);
  if (!library.ok()) return Unsupported(library.status().message());
  auto api = std::make_shared<OpenClApi>();
  std::string missing;
#define STINT_OPENCL_FIND(name)                                            \
  api->name = reinterpret_cast<decltype(api->name)>(library->Find(#name)); \
  if (api->name == nullptr) missing = #name;
  STINT_OPENCL_FUNCTIONS(STINT_OPENCL_FIND)
#undef STINT_OPENCL_FIND
  if (!missing.empty()) {
    return Unsupported(std::string(kLoader) + ": no function " + missing +
                       ", which OpenCL 1.2 has");
  }
  return std::shared_ptr<const OpenClApi>(std::move(api));
}

Status OpenClStatus(cl_int code, const std::string& call) {
  if (code == CL_SUCCESS) return OkStatus();
  std::string message = call + ": OpenCL error " + std::to_string(code);
  for (const ErrorName& error : kErrorNames) {
    if (error.code == code) message += std::string(" (") + error.name + ")";
  }
  return IsExhaustion(code) ? ResourceExhausted(std::move(message))
                            : IoError(std::move(message));
}

}  // namespace stint
