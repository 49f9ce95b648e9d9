#pragma once
// What a kernel on blocked images is handed for a test problem.

#include <cmath>
#include <vector>

#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/testing/conv_problem.h"

namespace stint {

// Images blocked and weights packed as `kernel` reads them; y is 9 and scratch
// NaN, so that nothing passes that was never written.
struct BlockedOperands {
  BlockedOperands(const ConvProblem& p, const ConvBlockedF32Kernel& kernel,
                  ThreadPool* pool)
      : x(kernel.input == ImageLayout::kPlain
              ? p.x
              : Blocked(p.x, p.shape.in_channels, p.shape.in_plane(),
                        kernel.block)),
        residual(Blocked(p.residual, p.shape.out_channels, p.shape.out_plane(),
                         kernel.block)),
        bias(p.bias),
        w(kernel.packed_bytes(kernel, p.shape) / 4, 9.0f),
        y(p.shape.batch * BlockedFloats(p.shape.out_channels,
                                        p.shape.out_plane(), kernel.block),
          9.0f) {
    bias.resize(RoundUp(p.shape.out_channels, kernel.block));
    kernel.pack(kernel, p.shape, p.w.data(), w.data(), pool);
    args.shape = p.shape;
    args.x = x.data();
    args.w = w.data();
    args.bias = bias.data();
    if (!p.residual.empty()) args.residual = residual.data();
    args.act = p.act;
    args.y = y.data();
  }
  BlockedOperands(const BlockedOperands&) = delete;

  std::vector<float> Run(const ConvBlockedF32Kernel& kernel, ThreadPool* pool,
                         int threads) {
    scratch.assign(kernel.scratch_bytes(kernel, args.shape, threads) / 4 + 1,
                   NAN);
    args.scratch = scratch.data();
    kernel.run(kernel, args, pool);
    return y;
  }

  std::vector<float> x, residual, bias, w, y, scratch;
  ConvBlockedF32Args args;
};

}  // namespace stint
