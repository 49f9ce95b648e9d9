#pragma once
// What the processor offers: instruction sets and how many CPUs we may use.

#include <string>

#include "stint/target.h"

namespace stint {

// The highest level up to `cap` this machine can run and gains by. kBf16 only
// on AMD's CPUs, whose dot products of bf16 do twice the work of products in
// fp32 (Zen 4: 236 and 118 GFLOP/s of a core, `stint device`); Intel's do half
// of it (Sapphire Rapids: 115 and 230), and have AMX for that. kAmx only after
// a self-test, which is not made when the cap is lower.
Isa DetectIsa(Isa cap = Isa::kAmx);

// Besides kVnni: permutes of bytes and products of bit matrices in AVX-512
// registers (VBMI and GFNI), which the first CPUs with VNNI lack.
bool HasBytePermutes();

// The processor's own name, such as "Intel(R) Xeon(R) ..."; "unknown" where it
// does not say.
std::string CpuModel();

// CPUs this process may use: affinity mask and cgroup quota respected; >= 1.
int AvailableCpus();

}  // namespace stint
