#include "engine/opencl/opencl_device.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "engine/device/machine_cache.h"
#include "engine/opencl/find_devices.h"
#include "engine/opencl/kernel_source.h"

namespace stint {
namespace {

constexpr std::string_view kPrefix = "opencl:";

// A CPU takes about 0.1 us to begin a group, as long as 256 simple elements.
constexpr size_t kLightGroupItems = 256;

// N of "opencl:N"; -1 for anything else.
int NumberOf(const std::string& name) {
  if (!name.starts_with(kPrefix)) return -1;
  const char* begin = name.data() + kPrefix.size();
  const char* end = name.data() + name.size();
  int number = -1;
  const auto parsed = std::from_chars(begin, end, number);
  return parsed.ec == std::errc() && parsed.ptr == end ? number : -1;
}

Status NoSuchDevice(const std::string& name,
                    const std::vector<FoundDevice>& found) {
  std::string have;
  for (const FoundDevice& device : found) {
    have += (have.empty() ? "" : ", ") + device.info.name + " (" +
            device.info.device + ")";
  }
  return Unsupported("device '" + name + "': " +
                     (have.empty() ? "no OpenCL driver (ICD) has a device here"
                                   : "there is " + have));
}

// By the floats of a vector register: devices that report 1 work on scalars,
// and hold fewer of them per item.
OpenClTile TileFor(cl_uint vector_floats) {
  if (vector_floats >= 16) return {16, 8};
  if (vector_floats >= 8) return {8, 8};
  return {8, 4};
}

}  // namespace

bool IsOpenClName(const std::string& name) { return NumberOf(name) >= 0; }

Result<std::shared_ptr<OpenClDevice>> OpenClDevice::Open(
    const std::string& name, const Options& options) {
  const int number = NumberOf(name);
  if (number < 0) {
    return InvalidArgument("device '" + name + "', expected opencl:N");
  }
  auto loaded = OpenClApi::Load();
  if (!loaded.ok()) {
    return loaded.status().Annotate("device '" + name + "'");
  }
  const std::shared_ptr<OpenClDevice> device(new OpenClDevice());
  device->api_ = *std::move(loaded);
  STINT_ASSIGN_OR_RETURN(const auto found, FindOpenClDevices(*device->api_));
  if (static_cast<size_t>(number) >= found.size()) {
    return NoSuchDevice(name, found);
  }
  device->device_ = found[static_cast<size_t>(number)].id;
  device->info_ = found[static_cast<size_t>(number)].info;
  STINT_RETURN_IF_ERROR(device->ReadLimits());
  if (options.tile.channels > 0) device->tile_ = options.tile;
  STINT_RETURN_IF_ERROR(device->MakeQueue());
  STINT_RETURN_IF_ERROR(device->BuildProgram(options.cache_folder));
  return device;
}

Status OpenClDevice::ReadLimits() {
  STINT_ASSIGN_OR_RETURN(
      const auto bytes,
      DeviceFact<cl_ulong>(*api_, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  STINT_ASSIGN_OR_RETURN(
      const auto bits,
      DeviceFact<cl_uint>(*api_, device_, CL_DEVICE_MEM_BASE_ADDR_ALIGN));
  STINT_ASSIGN_OR_RETURN(
      const auto floats,
      DeviceFact<cl_uint>(*api_, device_, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
  // Devices with more than three dimensions answer more than asked for.
  size_t sizes[16] = {};
  STINT_RETURN_IF_ERROR(
      OpenClStatus(api_->clGetDeviceInfo(device_, CL_DEVICE_MAX_WORK_ITEM_SIZES,
                                         sizeof(sizes), sizes, nullptr),
                   "clGetDeviceInfo"));
  max_buffer_bytes_ = static_cast<int64_t>(bytes);
  alignment_bytes_ = std::max<int64_t>(64, bits / 8);
  tile_ = TileFor(floats);
  max_group_items_ = std::max<size_t>(1, sizes[0]);
  return OkStatus();
}

Status OpenClDevice::MakeQueue() {
  cl_int code = CL_SUCCESS;
  context_ = {
      api_->clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code),
      [api = api_](cl_context context) {
        if (context != nullptr) api->clReleaseContext(context);
      }};
  STINT_RETURN_IF_ERROR(OpenClStatus(code, "clCreateContext"));
  queue_ = {api_->clCreateCommandQueue(context_.get(), device_, 0, &code),
            [api = api_, context = context_](cl_command_queue queue) {
              if (queue != nullptr) api->clReleaseCommandQueue(queue);
            }};
  return OpenClStatus(code, "clCreateCommandQueue");
}

std::string OpenClDevice::BuildOptions() const {
  return "-cl-std=CL1.2 -cl-mad-enable -DCHANNELS=" +
         std::to_string(tile_.channels) +
         " -DPIXELS=" + std::to_string(tile_.pixels);
}

Status OpenClDevice::BuildProgram(const std::string& cache_folder) {
  const std::string source = KernelSource();
  if (cache_folder.empty()) return BuildFromSource(source);
  const MachineCache cache(cache_folder, "opencl",
                           info_.platform + "; " + info_.device + "; " +
                               info_.driver + "; " + BuildOptions() + "; " +
                               TextHash(source));
  // What cannot be read or used is built and written anew.
  const auto binary = cache.Read();
  if (binary.ok() && BuildFromBinary(*binary)) {
    from_cache_ = true;
    return OkStatus();
  }
  STINT_RETURN_IF_ERROR(BuildFromSource(source));
  const auto built = Binary();
  // A cache that cannot be written costs time, not answers.
  if (built.ok()) (void)cache.Write(*built).ok();
  return OkStatus();
}

Status OpenClDevice::BuildFromSource(const std::string& source) {
  const char* text = source.c_str();
  const size_t length = source.size();
  cl_int code = CL_SUCCESS;
  program_ = {
      api_->clCreateProgramWithSource(context_.get(), 1, &text, &length, &code),
      [api = api_, context = context_](cl_program program) {
        if (program != nullptr) api->clReleaseProgram(program);
      }};
  STINT_RETURN_IF_ERROR(OpenClStatus(code, "clCreateProgramWithSource"));
  code = api_->clBuildProgram(program_.get(), 1, &device_,
                              BuildOptions().c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return OkStatus();
  const Status failed = OpenClStatus(code, "clBuildProgram");
  return Status(failed.code(), info_.name + " (" + info_.device + "): " +
                                   failed.message() + ": " + BuildLog());
}

bool OpenClDevice::BuildFromBinary(const std::string& binary) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const size_t length = binary.size();
  cl_int code = CL_SUCCESS;
  program_ = {api_->clCreateProgramWithBinary(context_.get(), 1, &device_,
                                              &length, &bytes, nullptr, &code),
              [api = api_, context = context_](cl_program program) {
                if (program != nullptr) api->clReleaseProgram(program);
              }};
  return code == CL_SUCCESS &&
         api_->clBuildProgram(program_.get(), 1, &device_,
                              BuildOptions().c_str(), nullptr,
                              nullptr) == CL_SUCCESS;
}

Result<std::string> OpenClDevice::Binary() const {
  size_t length = 0;
  STINT_RETURN_IF_ERROR(OpenClStatus(
      api_->clGetProgramInfo(program_.get(), CL_PROGRAM_BINARY_SIZES,
                             sizeof(length), &length, nullptr),
      "clGetProgramInfo"));
  if (length == 0) return NotFound("the device gives no binary");
  std::string binary(length, '\0');
  char* bytes = binary.data();
  STINT_RETURN_IF_ERROR(
      OpenClStatus(api_->clGetProgramInfo(program_.get(), CL_PROGRAM_BINARIES,
                                          sizeof(bytes), &bytes, nullptr),
                   "clGetProgramInfo"));
  return binary;
}

std::string OpenClDevice::BuildLog() const {
  size_t length = 0;
  api_->clGetProgramBuildInfo(program_.get(), device_, CL_PROGRAM_BUILD_LOG, 0,
                              nullptr, &length);
  std::string log(length, '\0');
  api_->clGetProgramBuildInfo(program_.get(), device_, CL_PROGRAM_BUILD_LOG,
                              length, log.data(), nullptr);
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) {
    log.pop_back();
  }
  return log;
}

Result<OpenClKernel> OpenClDevice::MakeKernel(const std::string& name) const {
  cl_int code = CL_SUCCESS;
  OpenClKernel kernel(api_->clCreateKernel(program_.get(), name.c_str(), &code),
                      [api = api_, program = program_](cl_kernel made) {
                        if (made != nullptr) api->clReleaseKernel(made);
                      });
  STINT_RETURN_IF_ERROR(OpenClStatus(code, "clCreateKernel '" + name + "'"));
  return kernel;
}

Result<size_t> OpenClDevice::GroupItems(cl_kernel kernel, bool light) const {
  size_t most = 1;
  size_t multiple = 1;
  STINT_RETURN_IF_ERROR(OpenClStatus(
      api_->clGetKernelWorkGroupInfo(kernel, device_, CL_KERNEL_WORK_GROUP_SIZE,
                                     sizeof(most), &most, nullptr),
      "clGetKernelWorkGroupInfo"));
  STINT_RETURN_IF_ERROR(OpenClStatus(
      api_->clGetKernelWorkGroupInfo(
          kernel, device_, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
          sizeof(multiple), &multiple, nullptr),
      "clGetKernelWorkGroupInfo"));
  const size_t limit = std::max<size_t>(1, std::min(most, max_group_items_));
  const size_t wanted = light ? kLightGroupItems : multiple;
  if (limit <= multiple) return limit;
  return std::min(wanted, limit) / multiple * multiple;
}

Result<OpenClBuffer> OpenClDevice::Allocate(int64_t bytes) const {
  if (bytes > max_buffer_bytes_) {
    return ResourceExhausted(
        std::to_string(bytes) + " bytes: " + info_.name + " has at most " +
        std::to_string(max_buffer_bytes_) + " in one buffer");
  }
  cl_int code = CL_SUCCESS;
  OpenClBuffer buffer(
      api_->clCreateBuffer(context_.get(), CL_MEM_READ_WRITE,
                           static_cast<size_t>(std::max<int64_t>(bytes, 1)),
                           nullptr, &code),
      [api = api_, context = context_](cl_mem made) {
        if (made != nullptr) api->clReleaseMemObject(made);
      });
  STINT_RETURN_IF_ERROR(OpenClStatus(
      code, "clCreateBuffer of " + std::to_string(bytes) + " bytes"));
  return buffer;
}

Result<OpenClBuffer> OpenClDevice::Filled(
    int64_t count, FunctionRef<void(float*)> fill) const {
  const auto bytes = count * static_cast<int64_t>(sizeof(float));
  STINT_ASSIGN_OR_RETURN(OpenClBuffer buffer, Allocate(bytes));
  if (count == 0) return buffer;
  cl_int code = CL_SUCCESS;
  void* mapped = api_->clEnqueueMapBuffer(
      queue_.get(), buffer.get(), CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
      static_cast<size_t>(bytes), 0, nullptr, nullptr, &code);
  STINT_RETURN_IF_ERROR(OpenClStatus(code, "clEnqueueMapBuffer"));
  fill(static_cast<float*>(mapped));
  STINT_RETURN_IF_ERROR(
      OpenClStatus(api_->clEnqueueUnmapMemObject(queue_.get(), buffer.get(),
                                                 mapped, 0, nullptr, nullptr),
                   "clEnqueueUnmapMemObject"));
  return buffer;
}

Result<OpenClBuffer> OpenClDevice::Piece(const OpenClBuffer& whole,
                                         int64_t offset, int64_t bytes) const {
  const cl_buffer_region region = {
      static_cast<size_t>(offset),
      static_cast<size_t>(std::max<int64_t>(bytes, 1))};
  cl_int code = CL_SUCCESS;
  OpenClBuffer piece(
      api_->clCreateSubBuffer(whole.get(), CL_MEM_READ_WRITE,
                              CL_BUFFER_CREATE_TYPE_REGION, &region, &code),
      [api = api_, whole](cl_mem made) {
        if (made != nullptr) api->clReleaseMemObject(made);
      });
  STINT_RETURN_IF_ERROR(OpenClStatus(code, "clCreateSubBuffer"));
  return piece;
}

Status OpenClDevice::Finish() const {
  return OpenClStatus(api_->clFinish(queue_.get()), "clFinish");
}

}  // namespace stint
