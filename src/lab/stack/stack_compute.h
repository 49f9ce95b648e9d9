#pragma once
// Where points of a study across the stack run: a value of its axis "compute",
// what `stint` is told of it, and in what points there can differ.

#include <string>
#include <vector>

#include "stint/status.h"

namespace stint {

enum class ComputeKind {
  kHost,      // "all", "avx2-1thread": this machine's CPU
  kOpenCl,    // "opencl:0"
  kEmulated,  // "emulated": another machine's CPU, answers without times
};

inline constexpr char kEmulatedCompute[] = "emulated";

// kHost for names that are none.
ComputeKind KindOf(const std::string& compute);

// Options of `stint eval` and `stint inspect`; kInvalidArgument for a name that
// is none.
Result<std::vector<std::string>> StackComputeOptions(
    const std::string& compute);

// Those of the values asked for in which points of a compute differ: OpenCL has
// one way to run a convolution, and schedules are tuned on the host. What is
// left is never empty.
std::vector<std::string> PrimitivesOn(const std::string& compute,
                                      const std::vector<std::string>& asked);
std::vector<std::string> CodesOn(const std::string& compute,
                                 const std::vector<std::string>& asked);

}  // namespace stint
