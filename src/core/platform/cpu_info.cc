#include "core/platform/cpu_info.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <sched.h>
#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/platform/machine/amx.h"

namespace stint {
namespace {

// All but AMX, whose test has a cost of its own.
Isa MeasureIsa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    return Isa::kBaseline;
  }
  if (!__builtin_cpu_supports("avx512f") ||
      !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512dq")) {
    return Isa::kAvx2;
  }
  if (!__builtin_cpu_supports("avx512vnni")) return Isa::kAvx512;
  return __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512bf16")
             ? Isa::kBf16
             : Isa::kVnni;
#elif defined(__aarch64__)
  return getauxval(AT_HWCAP) & HWCAP_ASIMDDP ? Isa::kVnni : Isa::kBaseline;
#else
  return Isa::kBaseline;
#endif
}

// CPUs granted by a cgroup quota, rounded up; a large number when unlimited.
int CgroupCpus() {
  constexpr int kUnlimited = 1 << 20;
  std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
  if (file != nullptr) {
    char quota[32] = "";
    double period = 0;
    const bool read = std::fscanf(file, "%31s %lf", quota, &period) == 2;
    std::fclose(file);
    if (read && std::strcmp(quota, "max") != 0 && period > 0) {
      return static_cast<int>(std::ceil(std::atof(quota) / period));
    }
    return kUnlimited;
  }
  double quota = -1;
  double period = 0;
  file = std::fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "re");
  if (file != nullptr) {
    if (std::fscanf(file, "%lf", &quota) != 1) quota = -1;
    std::fclose(file);
  }
  file = std::fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "re");
  if (file != nullptr) {
    if (std::fscanf(file, "%lf", &period) != 1) period = 0;
    std::fclose(file);
  }
  return quota > 0 && period > 0 ? static_cast<int>(std::ceil(quota / period))
                                 : kUnlimited;
}

}  // namespace

Isa DetectIsa(Isa cap) {
  static const Isa isa = MeasureIsa();
  if (cap == Isa::kAmx && isa >= Isa::kVnni && AmxWorks()) return Isa::kAmx;
  return std::min(cap, isa);
}

bool HasBytePermutes() {
#if defined(__x86_64__)
  return DetectIsa(Isa::kVnni) == Isa::kVnni &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("gfni");
#else
  return false;
#endif
}

std::string CpuModel() {
#if defined(__x86_64__)
  unsigned name[12] = {};
  for (unsigned i = 0; i < 3; ++i) {
    unsigned* part = name + 4 * i;
    if (!__get_cpuid(0x80000002 + i, part, part + 1, part + 2, part + 3)) {
      return "unknown";
    }
  }
  char text[sizeof(name) + 1] = {};
  std::memcpy(text, name, sizeof(name));
  std::string model(text);
  const size_t first = model.find_first_not_of(' ');
  if (first == std::string::npos) return "unknown";
  return model.substr(first, model.find_last_not_of(' ') - first + 1);
#else
  return "unknown";
#endif
}

int AvailableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cpus = 1;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) cpus = CPU_COUNT(&set);
  return std::max(1, std::min(cpus, CgroupCpus()));
}

}  // namespace stint
