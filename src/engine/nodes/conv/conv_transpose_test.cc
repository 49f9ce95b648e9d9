#include "engine/testing/kernel_case.h"

namespace stint {
namespace {

struct TransposeCase {
  Shape x;
  Shape w;
  std::vector<int64_t> strides;
  std::vector<int64_t> pads;
  std::vector<int64_t> dilations;
  std::vector<int64_t> output_padding;
  int64_t group = 1;
};

TEST(FastConvTranspose, MatchesReferenceForEveryGeometry) {
  for (const TransposeCase& c : std::vector<TransposeCase>{
           {{1, 3, 5, 7}, {3, 4, 3, 3}, {1, 1}, {0, 0, 0, 0}, {1, 1}, {}},
           {{2, 8, 6, 6}, {8, 5, 2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}, {}},
           {{1, 6, 7, 5}, {6, 20, 4, 4}, {2, 2}, {1, 1, 1, 1}, {1, 1}, {}},
           {{1, 4, 6, 5}, {4, 3, 3, 5}, {2, 3}, {1, 0, 2, 1}, {2, 1}, {1, 2}},
           {{2, 6, 4, 4}, {6, 2, 3, 3}, {1, 2}, {1, 1, 1, 1}, {1, 1}, {}, 3},
           {{1, 4, 3, 3}, {4, 1, 3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, {}, 4},
           {{1, 2, 2, 2}, {2, 3, 3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, {}},
           {{2, 3, 11}, {3, 5, 4}, {3}, {1, 2}, {1}, {}}}) {
    ConvTranspose op;
    op.strides = c.strides;
    op.pads = c.pads;
    op.dilations = c.dilations;
    op.output_padding = c.output_padding;
    op.group = c.group;
    ExpectFastMatchesReference(op, {{c.x}, Constant(c.w)});
    ExpectFastMatchesReference(
        op, {{c.x}, Constant(c.w), Constant({c.w[1] * c.group})});
    ExpectReferenceRuns(op, {{c.x}, {c.w}});  // weights that are no constant
  }
}

TEST(FastConvTranspose, LeavesThreeAxesToTheReference) {
  const In x{{1, 2, 2, 3, 2}};
  ExpectReferenceRuns(ConvTranspose{}, {x, Constant({2, 3, 2, 2, 2})});
}

TEST(FastConvTranspose, SplitsManyChannelsAndLargeImages) {
  ConvTranspose op;
  op.strides = {2, 2};
  ExpectFastMatchesReference(op, {{{1, 7, 60, 60}}, Constant({7, 14, 3, 3})});
}

TEST(FastConvTranspose, SettlesSameAndOutputShape) {
  ConvTranspose same;
  same.auto_pad = "SAME_UPPER";
  same.strides = {2, 2};
  ExpectFastMatchesReference(same, {{{1, 3, 4, 5}}, Constant({3, 4, 3, 3})});
  ConvTranspose shape;
  shape.output_shape = {10, 8};
  shape.strides = {3, 2};
  ExpectFastMatchesReference(shape, {{{1, 3, 3, 4}}, Constant({3, 4, 3, 3})});
}

}  // namespace
}  // namespace stint
