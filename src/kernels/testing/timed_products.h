#pragma once
// Products of one shape with everything they need, for benchmarks: in fp32, and
// in int8.

#include <cstdint>
#include <vector>

#include "kernels/gemm_f32/gemm_f32.h"
#include "kernels/gemm_s8/gemm_s8.h"
#include "kernels/testing/floats.h"
#include "kernels/testing/rotation.h"

namespace stint {

struct F32Product {
  F32Product(Isa isa, int64_t m, int64_t n, int64_t k, bool rotating)
      : kernel(PickGemmF32(isa)),
        a(RandomFloats(m * k, 1)),
        c(static_cast<size_t>(m * n)),
        b(Packed(n, k), rotating),
        args{m, n, k, a.data(), k, nullptr, c.data(), n} {}
  std::vector<float> Packed(int64_t n, int64_t k) const {
    const std::vector<float> plain = RandomFloats(n * k, 2);
    std::vector<float> packed(GemmF32PackedBytes(kernel, n, k) / 4);
    GemmF32PackB(kernel, {plain.data(), n, false}, n, k, packed.data(),
                 nullptr);
    return packed;
  }
  void Run(ThreadPool* pool) {
    args.b = b.Next();
    GemmF32(kernel, args, pool);
  }
  const GemmF32Kernel& kernel;
  std::vector<float> a;
  std::vector<float> c;
  Rotation<float> b;
  GemmF32Args args;
};

struct S8Product {
  S8Product(const GemmS8Kernel& kernel, int64_t m, int64_t n, int64_t k,
            bool rotating)
      : kernel(kernel),
        a(static_cast<size_t>(m * k), 100),
        zero(static_cast<size_t>(m), 120),
        scale(static_cast<size_t>(m + n), 0.01f),
        c(static_cast<size_t>(m * n)),
        b(Packed(n, k), rotating),
        scratch(static_cast<size_t>(GemmS8ScratchBytes(kernel, m, k) + 64)),
        args{.m = m, .n = n, .k = k, .a = a.data(), .lda = k} {
    args.scratch = Aligned(scratch.data());
    args.scale_a = args.scale_b = scale.data();
    args.bias_n = scale.data();
    args.zero_a = zero.data();
    args.c = c.data();
    args.ldc = n;
  }
  std::vector<int8_t> Packed(int64_t n, int64_t k) const {
    const std::vector<int8_t> plain(static_cast<size_t>(n * k), 3);
    std::vector<int8_t> packed(
        static_cast<size_t>(GemmS8PackedBytes(kernel, n, k)));
    GemmS8PackB(kernel, {plain.data(), n, false}, n, k, packed.data(), nullptr);
    return packed;
  }
  void Run(ThreadPool* pool) {
    args.b = b.Next();
    GemmS8(kernel, args, pool);
  }
  const GemmS8Kernel& kernel;
  std::vector<uint8_t> a;
  std::vector<uint8_t> zero;
  std::vector<float> scale;
  std::vector<float> c;
  Rotation<int8_t> b;
  std::vector<uint8_t> scratch;
  GemmS8Args args;
};

}  // namespace stint
