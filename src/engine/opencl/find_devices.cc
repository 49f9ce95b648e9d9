#include "engine/opencl/find_devices.h"

namespace stint {
namespace {

// What the loader answers when no driver is installed (cl_khr_icd).
constexpr cl_int kNoPlatform = -1001;

// `get` is clGetDeviceInfo or clGetPlatformInfo.
template <typename Get, typename Id, typename What>
Result<std::string> Text(Get get, Id id, What what) {
  size_t bytes = 0;
  STINT_RETURN_IF_ERROR(
      OpenClStatus(get(id, what, 0, nullptr, &bytes), "clGetInfo"));
  std::string text(bytes, '\0');
  STINT_RETURN_IF_ERROR(
      OpenClStatus(get(id, what, bytes, text.data(), nullptr), "clGetInfo"));
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) {
    text.pop_back();
  }
  return text;
}

Result<std::vector<cl_platform_id>> Platforms(const OpenClApi& api) {
  cl_uint count = 0;
  const cl_int code = api.clGetPlatformIDs(0, nullptr, &count);
  if (code == kNoPlatform || count == 0) return std::vector<cl_platform_id>();
  STINT_RETURN_IF_ERROR(OpenClStatus(code, "clGetPlatformIDs"));
  std::vector<cl_platform_id> platforms(count);
  STINT_RETURN_IF_ERROR(
      OpenClStatus(api.clGetPlatformIDs(count, platforms.data(), nullptr),
                   "clGetPlatformIDs"));
  return platforms;
}

Result<std::vector<cl_device_id>> DevicesOf(const OpenClApi& api,
                                            cl_platform_id platform) {
  cl_uint count = 0;
  const cl_int code =
      api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code == CL_DEVICE_NOT_FOUND || count == 0) {
    return std::vector<cl_device_id>();
  }
  STINT_RETURN_IF_ERROR(OpenClStatus(code, "clGetDeviceIDs"));
  std::vector<cl_device_id> devices(count);
  STINT_RETURN_IF_ERROR(
      OpenClStatus(api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count,
                                      devices.data(), nullptr),
                   "clGetDeviceIDs"));
  return devices;
}

Result<OpenClDeviceInfo> Describe(const OpenClApi& api, cl_device_id id) {
  OpenClDeviceInfo info;
  STINT_ASSIGN_OR_RETURN(info.device,
                         Text(api.clGetDeviceInfo, id, CL_DEVICE_NAME));
  STINT_ASSIGN_OR_RETURN(info.driver,
                         Text(api.clGetDeviceInfo, id, CL_DRIVER_VERSION));
  STINT_ASSIGN_OR_RETURN(
      const auto units,
      DeviceFact<cl_uint>(api, id, CL_DEVICE_MAX_COMPUTE_UNITS));
  STINT_ASSIGN_OR_RETURN(
      const auto bytes,
      DeviceFact<cl_ulong>(api, id, CL_DEVICE_GLOBAL_MEM_SIZE));
  info.compute_units = static_cast<int>(units);
  info.memory_bytes = static_cast<int64_t>(bytes);
  return info;
}

}  // namespace

Result<std::vector<FoundDevice>> FindOpenClDevices(const OpenClApi& api) {
  std::vector<FoundDevice> found;
  STINT_ASSIGN_OR_RETURN(const auto platforms, Platforms(api));
  for (cl_platform_id platform : platforms) {
    STINT_ASSIGN_OR_RETURN(
        const std::string platform_name,
        Text(api.clGetPlatformInfo, platform, CL_PLATFORM_NAME));
    STINT_ASSIGN_OR_RETURN(const auto devices, DevicesOf(api, platform));
    for (cl_device_id id : devices) {
      STINT_ASSIGN_OR_RETURN(OpenClDeviceInfo info, Describe(api, id));
      info.name = "opencl:" + std::to_string(found.size());
      info.platform = platform_name;
      found.push_back({id, std::move(info)});
    }
  }
  return found;
}

Result<std::vector<OpenClDeviceInfo>> ListOpenClDevices() {
  STINT_ASSIGN_OR_RETURN(const auto api, OpenClApi::Load());
  STINT_ASSIGN_OR_RETURN(const auto found, FindOpenClDevices(*api));
  std::vector<OpenClDeviceInfo> list;
  for (const FoundDevice& device : found) list.push_back(device.info);
  return list;
}

}  // namespace stint
