#include "lab/stack/stack_compute.h"

#include "engine/opencl/opencl_device.h"
#include "lab/elastic/eval_process.h"

namespace stint {

ComputeKind KindOf(const std::string& compute) {
  if (compute == kEmulatedCompute) return ComputeKind::kEmulated;
  return IsOpenClName(compute) ? ComputeKind::kOpenCl : ComputeKind::kHost;
}

Result<std::vector<std::string>> StackComputeOptions(
    const std::string& compute) {
  switch (KindOf(compute)) {
    case ComputeKind::kOpenCl:
      return std::vector<std::string>{"--device", compute};
    case ComputeKind::kEmulated:
      return std::vector<std::string>();
    case ComputeKind::kHost:
      break;
  }
  const auto options = ComputeOptions(compute);
  if (options.ok()) return options;
  return InvalidArgument(options.status().message() + ", opencl:N or " +
                         kEmulatedCompute);
}

std::vector<std::string> PrimitivesOn(const std::string& compute,
                                      const std::vector<std::string>& asked) {
  if (KindOf(compute) == ComputeKind::kOpenCl) return {"auto"};
  return asked;
}

std::vector<std::string> CodesOn(const std::string& compute,
                                 const std::vector<std::string>& asked) {
  switch (KindOf(compute)) {
    case ComputeKind::kHost:
      return asked;
    case ComputeKind::kOpenCl:
      return {"default"};
    case ComputeKind::kEmulated:
      break;
  }
  std::vector<std::string> codes = asked;
  std::erase(codes, "tuned");
  if (codes.empty()) codes = {"default"};
  return codes;
}

}  // namespace stint
