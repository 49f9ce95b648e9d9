#pragma once
// What kernels compute with: the instruction set and the arithmetic.

#include <optional>
#include <span>
#include <string_view>

namespace stint {

// Levels of instruction sets; each includes those before it. On AArch64
// kBaseline is NEON, and kVnni its dot products of bytes. kBf16 is dot products
// of pairs of bf16 (AVX512_BF16), which every CPU with AMX has.
enum class Isa { kBaseline, kAvx2, kAvx512, kVnni, kBf16, kAmx };

// "sse2", "avx2", "avx512", "vnni", "bf16", "amx"; on AArch64 the first is
// "neon" and the fourth "dot".
std::string_view IsaName(Isa isa);
std::optional<Isa> ParseIsa(std::string_view name);
std::span<const std::string_view> IsaNames();  // in the order of the enum

// Arithmetic of matrix products and convolutions with constant weights;
// everything else is computed in float32, except attention, which is in
// bfloat16 on AMX or bfloat16 vectors unless the precision is kFloat32.
enum class Precision {
  kFloat32,
  kBFloat16,  // bfloat16 weights; activations too, where the CPU has it
  kInt8,      // weights per output channel, activations per row
  kCodes,     // elastic files: weights of 2 to 8 bits, activations in int8
  kAuto,      // the fastest of the first three that is accurate enough
};

// "fp32", "bf16", "int8", "codes", "auto".
std::string_view PrecisionName(Precision precision);
std::optional<Precision> ParsePrecision(std::string_view name);
std::span<const std::string_view> PrecisionNames();  // in the order of the enum
// The first three, which kernels have.
std::span<const std::string_view> KernelPrecisionNames();

}  // namespace stint
