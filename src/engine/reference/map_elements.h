#pragma once
// Loops of the reference evaluation: a function applied to every element of
// one tensor, or to the broadcast elements of two.

#include <algorithm>
#include <vector>

#include "core/tensor/broadcast.h"
#include "core/tensor/element_access.h"
#include "engine/reference/eval_context.h"

namespace stint {

// Elements converted at a time: two buffers stay in the first-level cache.
inline constexpr int64_t kMapChunk = 1024;

// out[i] = f(in[i]), computed in T.
template <typename T, typename F>
void MapElements(const Tensor& in, Tensor* out, F f) {
  T buffer[kMapChunk];
  for (int64_t begin = 0; begin < in.size(); begin += kMapChunk) {
    const int64_t count = std::min(kMapChunk, in.size() - begin);
    LoadElements<T>(in, begin, count, buffer);
    for (int64_t i = 0; i < count; ++i) buffer[i] = f(buffer[i]);
    StoreElements<T>(buffer, begin, count, out);
  }
}

// out[i] = f(a[i], b[i]) with broadcasting, loaded as In and stored as Out.
template <typename In, typename Out, typename F>
void MapBroadcast(const Tensor& a, const Tensor& b, Tensor* out, F f) {
  const BroadcastWalk walk(out->shape(), {&a.shape(), &b.shape()});
  const int64_t run = walk.run_length();
  In lhs[kMapChunk];
  In rhs[kMapChunk];
  Out result[kMapChunk];
  const auto load = [&](const Tensor& t, size_t i, int64_t at, int64_t count,
                        In* buffer) {
    if (walk.repeats(i)) {
      LoadElements<In>(t, at, 1, buffer);
      std::fill(buffer + 1, buffer + count, buffer[0]);
    } else {
      LoadElements<In>(t, at, count, buffer);
    }
  };
  walk.ForEachRun([&](int64_t at, const int64_t* in) {
    for (int64_t begin = 0; begin < run; begin += kMapChunk) {
      const int64_t count = std::min(kMapChunk, run - begin);
      load(a, 0, in[0] + (walk.repeats(0) ? 0 : begin), count, lhs);
      load(b, 1, in[1] + (walk.repeats(1) ? 0 : begin), count, rhs);
      for (int64_t i = 0; i < count; ++i) result[i] = f(lhs[i], rhs[i]);
      StoreElements<Out>(result, at + begin, count, out);
    }
  });
}

// The same on string elements.
template <typename F>
void MapStrings(const Tensor& a, const Tensor& b, int64_t run_count,
                const BroadcastWalk& walk, F store) {
  walk.ForEachRun([&](int64_t at, const int64_t* in) {
    for (int64_t i = 0; i < run_count; ++i) {
      store(at + i, a.data<std::string>()[in[0] + (walk.repeats(0) ? 0 : i)],
            b.data<std::string>()[in[1] + (walk.repeats(1) ? 0 : i)]);
    }
  });
}

}  // namespace stint
