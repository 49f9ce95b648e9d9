#pragma once
// Random operands of attention, for tests of its families.

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/attention_f32/attention_f32.h"
#include "kernels/testing/floats.h"

namespace stint {

struct AttentionCase {
  int64_t batch;
  int64_t heads;
  int64_t length_q;
  int64_t length_k;
  int64_t size;
};

// Queries apart, keys and values side by side in rows of 2 * hidden.
struct AttentionOperands {
  explicit AttentionOperands(const AttentionCase& c)
      : hidden(c.heads * c.size),
        q(RandomFloats(c.batch * c.length_q * hidden, 1)),
        kv(RandomFloats(c.batch * c.length_k * hidden * 2, 2)),
        mask(RandomFloats(c.batch * c.length_q * c.length_k, 3)) {
    args.batch = c.batch;
    args.heads = c.heads;
    args.length_q = c.length_q;
    args.length_k = c.length_k;
    args.head_size = c.size;
    // Scores of up to 3 or so: some weights are large.
    args.scale = 3 / std::sqrt(static_cast<float>(c.size));
    args.q = {q.data(), c.length_q * hidden, hidden, c.size};
    args.k = {kv.data(), c.length_k * hidden * 2, hidden * 2, c.size};
    args.v = {kv.data() + hidden, c.length_k * hidden * 2, hidden * 2, c.size};
    args.out = {nullptr, c.length_q * hidden, hidden, c.size};
  }
  void MaskKeys() { args.mask = {mask.data(), args.length_k, 0, 0}; }
  void MaskPairs() {
    args.mask = {mask.data(), args.length_q * args.length_k, args.length_k, 0};
  }
  // Scratch and output begin as numbers that must not be left.
  std::vector<float> Run(const AttentionF32Kernel& kernel,
                         ThreadPool* pool) const {
    std::vector<float> got(q.size(), 7.0f);
    std::vector<float> scratch(
        AttentionF32ScratchBytes(kernel, args, pool->threads()) / 4,
        std::numeric_limits<float>::quiet_NaN());
    AttentionF32Args run = args;
    run.out.data = got.data();
    run.scratch = scratch.data();
    AttentionF32(kernel, run, pool);
    return got;
  }

  int64_t hidden;
  std::vector<float> q;
  std::vector<float> kv;
  std::vector<float> mask;
  AttentionF32Args args;
};

}  // namespace stint
