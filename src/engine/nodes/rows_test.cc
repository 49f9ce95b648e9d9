// Softmax and normalization kernels against the reference evaluation.

#include "engine/testing/kernel_case.h"

namespace stint {
namespace {

TEST(FastSoftmax, MatchesReferenceAlongEveryAxis) {
  for (int64_t axis : {-1, 0, 1, 2}) {
    for (const Shape& x : {Shape{2, 5, 33}, Shape{7, 16, 3}, Shape{1, 1, 1}}) {
      ExpectFastMatchesReference(Softmax{axis}, {{x, false, 20.0f}});
      ExpectFastMatchesReference(LogSoftmax{axis}, {{x, false, 20.0f}});
    }
  }
}

TEST(FastLayerNormalization, MatchesReferenceAlongEveryAxis) {
  const In x = {{3, 4, 17}, false, 2.0f, 1.0f};
  const LayerNormalization last{-1, 1e-5f, 1};
  ExpectFastMatchesReference(last, {x, Constant({17}), Constant({17})});
  ExpectFastMatchesReference(last, {x, Constant({17})}, 3);
  ExpectFastMatchesReference(last, {x, Constant({1}), Constant({17})});
  ExpectFastMatchesReference(LayerNormalization{1, 1e-3f, 1},
                             {x, Constant({4, 17}), Constant({4, 17})}, 3);
}

// A scale with as many elements as a row that broadcasts along another axis.
TEST(FastLayerNormalization, ScaleOfAnotherShapeBroadcasts) {
  ExpectFastMatchesReference(LayerNormalization{-1, 1e-5f, 1},
                             {{{5, 5}}, Constant({5, 1}), Constant({5})});
}

TEST(FastRmsNormalization, MatchesReference) {
  ExpectFastMatchesReference(RMSNormalization{-1, 1e-5f, 1},
                             {{{6, 37}}, Constant({37})});
}

TEST(FastBatchNormalization, MatchesReference) {
  for (const Shape& x : {Shape{2, 3, 5, 7}, Shape{4, 3}, Shape{1, 3, 33}}) {
    ExpectFastMatchesReference(BatchNormalization{}, {{x},
                                                      Constant({3}),
                                                      Constant({3}),
                                                      Constant({3}),
                                                      {{3}, true, 0.4f, 1.0f}});
  }
}

}  // namespace
}  // namespace stint
