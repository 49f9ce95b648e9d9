#include <gtest/gtest.h>

#include <algorithm>

#include "core/tensor/element_access.h"
#include "engine/run/graph_runner.h"

namespace stint {
namespace {

const Op kRelu = Unary{UnaryKind::kRelu};
const Op kNeg = Unary{UnaryKind::kNeg};
const Op kAdd = Binary{BinaryKind::kAdd};

ValueType Floats(Shape dims) {
  return ValueType::Of(DType::kFloat32, std::move(dims));
}

using Lists = std::vector<std::vector<float>>;

// A graph of one input, ready to run on one thread.
class Runnable {
 public:
  explicit Runnable(const Graph& graph)
      : pool_(1), runner_(&graph, {}, &pool_) {
    const Status status = runner_.Prepare();
    EXPECT_TRUE(status.ok()) << status.message();
  }
  // The outputs as floats.
  Lists Run(const Tensor& input) {
    const auto outputs = runner_.Run({input});
    EXPECT_TRUE(outputs.ok()) << outputs.status().message();
    Lists lists;
    if (!outputs.ok()) return lists;
    for (const Value& value : *outputs) {
      lists.push_back(ElementsAs<float>(value.tensor()));
    }
    return lists;
  }
  int Steps(const Tensor& input) {
    return runner_.CostFor(std::vector<Value>{input})->steps;
  }

 private:
  ThreadPool pool_;
  GraphRunner runner_;
};

TEST(JoinInputs, WritesThePartsOfAConcatenationInPlace) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({kFirstSymbol, 16}));
  graph.Symbol("batch");
  const ValueId a = graph.Add("a", kNeg, {x});
  const ValueId b = graph.Add("b", kRelu, {x});
  const ValueId ab = graph.Add("ab", Concat{1}, {a, b});
  const ValueId c = graph.Add("c", kRelu, {ab});
  graph.MarkOutput(graph.Add("abc", Concat{-1}, {ab, c}));
  graph.MarkOutput(graph.Add("sum", kAdd, {a, b}));
  Runnable runnable(graph);
  for (int64_t batch : {1, 2}) {
    Tensor in = Tensor::Allocate(DType::kFloat32, {batch, 16}).value();
    std::vector<float> joined, sum;
    for (int64_t n = 0; n < batch; ++n) {
      std::vector<float> row(64);
      for (int64_t i = 0; i < 16; ++i) {
        const float v = static_cast<float>((n * 16 + i) % 5 - 2);
        in.data<float>()[n * 16 + i] = v;
        row[i] = -v;
        row[16 + i] = std::max(v, 0.0f);
        row[32 + i] = std::max(-v, 0.0f);
        row[48 + i] = std::max(v, 0.0f);
        sum.push_back(row[i] + row[16 + i]);
      }
      joined.insert(joined.end(), row.begin(), row.end());
    }
    EXPECT_EQ(runnable.Run(in), (Lists{joined, sum}));
    // Rows of a batch do not lie together, so there both are copied.
    EXPECT_EQ(runnable.Steps(in), batch == 1 ? 4 : 6);
  }
}

TEST(JoinInputs, GrowsAConcatenationOfEverythingSoFar) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({1, 16}));
  const ValueId a = graph.Add("a", kNeg, {x});
  const ValueId b = graph.Add("b", kRelu, {a});
  const ValueId ab = graph.Add("ab", Concat{1}, {a, b});
  const ValueId c = graph.Add("c", kNeg, {ab});
  const ValueId abc = graph.Add("abc", Concat{1}, {a, b, c});
  const ValueId d = graph.Add("d", kRelu, {abc});
  graph.MarkOutput(graph.Add("abcd", Concat{1}, {a, b, c, d}));
  graph.MarkOutput(graph.Add("ba", Concat{1}, {b, a}));
  Runnable runnable(graph);
  const Tensor in =
      Tensor::FromVector<float>({1, 16}, std::vector<float>(16, -2)).value();
  std::vector<float> all(32, 2);
  all.resize(64, -2);
  all.resize(96, 2);
  all.resize(128, 0);
  EXPECT_EQ(runnable.Run(in), (Lists{all, std::vector<float>(32, 2)}));
  // The last one asks for another order and is copied.
  EXPECT_EQ(runnable.Steps(in), 5);
}

TEST(JoinInputs, CopiesAPartThatIsJoinedTwice) {
  Graph graph;
  const ValueId x = graph.AddInput("x", Floats({16}));
  const ValueId a = graph.Add("a", kNeg, {x});
  graph.MarkOutput(graph.Add("aa", Concat{0}, {a, a}));
  graph.MarkOutput(graph.Add("ax", Concat{0}, {a, x}));
  const Lists lists =
      Runnable(graph).Run(Tensor::Vector(std::vector<float>(16, 1)));
  EXPECT_EQ(lists[0], std::vector<float>(32, -1));
  std::vector<float> ax(16, -1);
  ax.resize(32, 1);
  EXPECT_EQ(lists[1], ax);
}

}  // namespace
}  // namespace stint
