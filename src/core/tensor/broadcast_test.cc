#include "core/tensor/broadcast.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/random.h"

namespace stint {
namespace {

// Offset into `in` of the output element at `index`, dimension by dimension.
int64_t NaiveOffset(const Shape& in, const std::vector<int64_t>& index) {
  int64_t offset = 0;
  for (size_t d = 0; d < in.size(); ++d) {
    const int64_t i = index[index.size() - in.size() + d];
    offset = offset * in[d] + (in[d] == 1 ? 0 : i);
  }
  return offset;
}

// Input offsets of every output element, in order.
std::vector<int64_t> NaiveWalk(const Shape& out, const Shape& in) {
  std::vector<int64_t> offsets;
  std::vector<int64_t> index(out.size(), 0);
  if (std::count(out.begin(), out.end(), 0) > 0) return offsets;
  for (;;) {
    offsets.push_back(NaiveOffset(in, index));
    size_t d = out.size();
    while (d > 0 && ++index[d - 1] == out[d - 1]) index[--d] = 0;
    if (d == 0) return offsets;
  }
}

std::vector<int64_t> Walk(const BroadcastWalk& walk, size_t input) {
  std::vector<int64_t> offsets;
  walk.ForEachRun([&](int64_t out, const int64_t* in) {
    EXPECT_EQ(out, static_cast<int64_t>(offsets.size()));
    for (int64_t i = 0; i < walk.run_length(); ++i) {
      offsets.push_back(in[input] + (walk.repeats(input) ? 0 : i));
    }
  });
  return offsets;
}

TEST(BroadcastWalk, ScalarsAreOneRun) {
  const Shape scalar;
  const BroadcastWalk walk(scalar, {&scalar, &scalar});
  EXPECT_EQ(Walk(walk, 0), std::vector<int64_t>{0});
}

TEST(BroadcastWalk, EqualShapesAreOneRun) {
  const Shape shape = {2, 3, 4};
  const BroadcastWalk walk(shape, {&shape, &shape});
  EXPECT_EQ(walk.run_length(), 24);
  EXPECT_EQ(walk.outer_rank(), 0u);
}

TEST(BroadcastWalk, EmptyOutputHasNoRuns) {
  const Shape out = {3, 0};
  const Shape row = {0};
  const BroadcastWalk walk(out, {&out, &row});
  EXPECT_TRUE(Walk(walk, 0).empty());
}

TEST(BroadcastWalk, MatchesTheNaiveWalkOnRandomShapes) {
  Random random(23);
  for (int round = 0; round < 500; ++round) {
    Shape out;
    for (int64_t d = random.NextInt(5); d > 0; --d) {
      out.push_back(1 + random.NextInt(4));
    }
    std::vector<Shape> inputs(3);
    for (Shape& in : inputs) {
      in = out;
      for (int64_t& dim : in) dim = random.NextInt(2) == 0 ? 1 : dim;
      in.erase(
          in.begin(),
          in.begin() + random.NextInt(static_cast<int64_t>(in.size()) + 1));
    }
    const BroadcastWalk walk(out, {&inputs[0], &inputs[1], &inputs[2]});
    for (size_t i = 0; i < inputs.size(); ++i) {
      ASSERT_EQ(Walk(walk, i), NaiveWalk(out, inputs[i]))
          << ToString(inputs[i]) << " to " << ToString(out);
    }
  }
}

}  // namespace
}  // namespace stint
