#pragma once
// An OpenCL device: found by number, with a context, a queue and the compiled
// kernels of this room.

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/function_ref.h"
#include "engine/opencl/opencl_api.h"

namespace stint {

// Released with the last copy.
template <typename Handle>
using OpenClHandle = std::shared_ptr<std::remove_pointer_t<Handle>>;
using OpenClBuffer = OpenClHandle<cl_mem>;
using OpenClKernel = OpenClHandle<cl_kernel>;

struct OpenClDeviceInfo {
  std::string name;  // "opencl:0"
  std::string device;
  std::string platform;
  std::string driver;  // its version
  int compute_units = 0;
  int64_t memory_bytes = 0;
};

// Every device of every platform, in the order of the ICD loader. Empty when no
// driver is installed; kUnsupported without a loader.
Result<std::vector<OpenClDeviceInfo>> ListOpenClDevices();

// "opencl:N"
bool IsOpenClName(const std::string& name);

// What one work-item of a product computes: so many output channels of so many
// pixels or rows.
struct OpenClTile {
  int channels = 0;  // 4, 8 or 16
  int pixels = 0;
};

class OpenClDevice {
 public:
  struct Options {
    std::string cache_folder;  // keeps compiled kernels; empty: nowhere
    OpenClTile tile;           // zeros: by the device's vectors
  };
  // kInvalidArgument when `name` is not "opencl:N", kUnsupported when there is
  // no such device: says which there are.
  static Result<std::shared_ptr<OpenClDevice>> Open(const std::string& name,
                                                    const Options& options);

  const OpenClDeviceInfo& info() const { return info_; }
  const OpenClApi& api() const { return *api_; }
  cl_command_queue queue() const { return queue_.get(); }
  const OpenClTile& tile() const { return tile_; }
  int64_t max_buffer_bytes() const { return max_buffer_bytes_; }
  // Of the start of a piece of a buffer.
  int64_t alignment_bytes() const { return alignment_bytes_; }
  // Kernels came from the cache folder.
  bool from_cache() const { return from_cache_; }

  Result<OpenClKernel> MakeKernel(const std::string& name) const;
  // How many items of the kernel make a group, within the device's limits: what
  // it works on at once, or several times that where items have little to do.
  Result<size_t> GroupItems(cl_kernel kernel, bool light) const;

  Result<OpenClBuffer> Allocate(int64_t bytes) const;
  // A buffer of `count` floats that `fill` writes, in order or not.
  Result<OpenClBuffer> Filled(int64_t count,
                              FunctionRef<void(float*)> fill) const;
  // A piece of `whole`, which it keeps; `offset` is a multiple of the
  // alignment.
  Result<OpenClBuffer> Piece(const OpenClBuffer& whole, int64_t offset,
                             int64_t bytes) const;
  // Waits for all that was put into the queue.
  Status Finish() const;

 private:
  OpenClDevice() = default;
  Status ReadLimits();
  Status MakeQueue();
  Status BuildProgram(const std::string& cache_folder);
  Status BuildFromSource(const std::string& source);
  // False when the device refuses it.
  bool BuildFromBinary(const std::string& binary);
  Result<std::string> Binary() const;
  std::string BuildOptions() const;
  std::string BuildLog() const;

  std::shared_ptr<const OpenClApi> api_;
  OpenClDeviceInfo info_;
  cl_device_id device_ = nullptr;
  OpenClTile tile_;
  int64_t max_buffer_bytes_ = 0;
  int64_t alignment_bytes_ = 1;
  size_t max_group_items_ = 1;
  bool from_cache_ = false;
  OpenClHandle<cl_context> context_;
  OpenClHandle<cl_command_queue> queue_;
  OpenClHandle<cl_program> program_;
};

}  // namespace stint
