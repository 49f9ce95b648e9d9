// Sums and means against the reference evaluation.

#include "engine/testing/kernel_case.h"

namespace stint {
namespace {

TEST(FastReduce, MatchesReferenceAlongAxesSideBySide) {
  for (ReduceKind kind : {ReduceKind::kSum, ReduceKind::kMean}) {
    for (const std::vector<int64_t>& axes :
         {std::vector<int64_t>{0}, {1}, {-1}, {1, 2}, {0, 1, 2}, {-1, -2}}) {
      for (const Shape& x : {Shape{2, 5, 33}, Shape{1, 40, 130}}) {
        ExpectFastMatchesReference(Reduce{kind}, {{x}, Ints(axes)});
        ExpectFastMatchesReference(Reduce{kind, 0}, {{x}, Ints(axes)});
      }
    }
  }
}

TEST(FastReduce, OtherAxesAndKindsAreLeftToTheReference) {
  ExpectReferenceRuns(Reduce{}, {{{2, 5, 33}}, Ints({0, 2})});
  ExpectReferenceRuns(Reduce{ReduceKind::kMax}, {{{2, 5, 33}}, Ints({1})});
}

TEST(FastReduce, WithoutAxesReducesAllOrNothing) {
  ExpectFastMatchesReference(Reduce{}, {{{3, 4}}});
  ExpectReferenceRuns(Reduce{ReduceKind::kSum, 1, 1}, {{{3, 4}}});
}

}  // namespace
}  // namespace stint
