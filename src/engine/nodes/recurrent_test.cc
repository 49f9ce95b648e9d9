#include "engine/testing/kernel_case.h"
#include "engine/testing/run_op.h"

namespace stint {
namespace {

constexpr int64_t kInput = 5;

struct Sizes {
  int64_t length = 4;
  int64_t batch = 2;
  int64_t hidden = 19;
  int64_t directions = 1;
};

template <typename Op>
int64_t Gates(const Op&) {
  if constexpr (std::is_same_v<Op, RNN>) return 1;
  if constexpr (std::is_same_v<Op, GRU>) return 3;
  return 4;
}

// Inputs with biases and, where there are any, first states and peepholes.
template <typename Op>
std::vector<In> Inputs(const Op& op, const Sizes& s, bool states = true) {
  const int64_t rows = Gates(op) * s.hidden;
  const Shape x = op.layout == 1 ? Shape{s.batch, s.length, kInput}
                                 : Shape{s.length, s.batch, kInput};
  const Shape h = op.layout == 1 ? Shape{s.batch, s.directions, s.hidden}
                                 : Shape{s.directions, s.batch, s.hidden};
  std::vector<In> inputs = {{x},
                            Constant({s.directions, rows, kInput}),
                            Constant({s.directions, rows, s.hidden}),
                            Constant({s.directions, 2 * rows})};
  inputs[2].scale = 0.3f;
  if (!states) return inputs;
  inputs.insert(inputs.end(), {Absent(), {h}});
  if (std::is_same_v<Op, LSTM>) {
    inputs.insert(inputs.end(), {{h}, Constant({s.directions, 3 * s.hidden})});
  }
  return inputs;
}

template <typename Op>
constexpr int kOutputs = std::is_same_v<Op, LSTM> ? 3 : 2;

template <typename Op>
void Check(Op op, const Sizes& sizes, bool states = true) {
  op.hidden_size = sizes.hidden;
  ExpectFastMatchesReference(op, Inputs(op, sizes, states), kOutputs<Op>);
}

template <typename Op>
class FastRecurrent : public testing::Test {};
using Layers = testing::Types<RNN, GRU, LSTM>;
TYPED_TEST_SUITE(FastRecurrent, Layers);

TYPED_TEST(FastRecurrent, MatchesReferenceAroundTheVector) {
  for (int64_t hidden : {1, 7, 8, 15, 16, 17, 33}) {
    Check(TypeParam(), {.hidden = hidden});
    Check(TypeParam(), {.length = 1, .batch = 1, .hidden = hidden}, false);
  }
}

TYPED_TEST(FastRecurrent, MatchesReferenceForEveryBatch) {
  for (int64_t batch : {1, 2, 3, 5, 8, 13, 33, 64}) {
    Check(TypeParam(), {.length = 3, .batch = batch});
  }
}

TYPED_TEST(FastRecurrent, TakesLongSequencesInParts) {
  for (int64_t layout : {0, 1}) {
    TypeParam op;
    op.direction = "bidirectional";
    op.layout = layout;
    Check(op, {.length = 150, .batch = 5, .hidden = 6, .directions = 2});
  }
}

TYPED_TEST(FastRecurrent, SharesTheStepsOfOneSequence) {
  Check(TypeParam(), {.batch = 1, .hidden = 200});
}

TYPED_TEST(FastRecurrent, RunsInEveryDirectionAndLayout) {
  for (const char* direction : {"forward", "reverse", "bidirectional"}) {
    for (int64_t layout : {0, 1}) {
      TypeParam op;
      op.direction = direction;
      op.layout = layout;
      const int64_t count = op.direction == "bidirectional" ? 2 : 1;
      Check(op, {.batch = 3, .directions = count});
      Check(op, {.batch = 1, .directions = count}, false);
    }
  }
}

// The operator with that activation everywhere.
template <typename Op>
Op WithActivation(const char* name) {
  const size_t each = Op::kName == "RNN" ? 1 : Op::kName == "GRU" ? 2 : 3;
  Op op;
  op.clip = 0.4f;
  op.activations.assign(each, name);
  op.activation_alpha.assign(each, 0.5f);
  op.activation_beta.assign(each, 0.25f);
  return op;
}

TYPED_TEST(FastRecurrent, ClipsAndTakesOtherActivations) {
  for (const char* name :
       {"Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu",
        "ScaledTanh", "HardSigmoid", "Elu", "Softsign"}) {
    SCOPED_TRACE(name);
    Check(WithActivation<TypeParam>(name), {});
  }
}

TYPED_TEST(FastRecurrent, LeavesSoftplusToTheReference) {
  auto op = WithActivation<TypeParam>("Softplus");
  const Sizes sizes;
  op.hidden_size = sizes.hidden;
  ExpectMatchesReference(
      KernelCase(op, Inputs(op, sizes, true), kOutputs<TypeParam>),
      [](Isa) { return false; }, 2e-5);
}

TEST(FastGru, ResetsBeforeOrAfterTheProduct) {
  for (int64_t linear : {0, 1}) {
    GRU op;
    op.linear_before_reset = linear;
    for (int64_t batch : {1, 4, 9}) Check(op, {.batch = batch, .hidden = 37});
    op.direction = "bidirectional";
    Check(op, {.batch = 3, .directions = 2});
  }
}

TEST(FastLstm, CouplesInputAndForgetGates) {
  LSTM op;
  op.input_forget = 1;
  Check(op, {});
}

// Tensors for inputs up to the weights, and lengths of sequences.
std::vector<Value> WithLengths(const std::vector<In>& inputs,
                               const std::vector<int32_t>& lengths) {
  std::vector<Value> values;
  for (size_t i = 0; i < 4; ++i) {
    values.emplace_back(KernelCase::MakeTensor(inputs[i], 7 + i));
  }
  values.emplace_back(Tensor::FromVector<int32_t>(
                          {static_cast<int64_t>(lengths.size())}, lengths)
                          .value());
  return values;
}

// Shape rule, fast kernel and one run; the outputs.
Result<std::vector<Value>> RunFast(const Op& op,
                                   const std::vector<Value>& inputs,
                                   int outputs) {
  ThreadPool pool(2);
  std::vector<ValueType> types;
  for (const Value& value : inputs) types.push_back(TypeOf(value));
  std::vector<InferContext::Input> known;
  EvalContext ctx(inputs.size(), static_cast<size_t>(outputs), &pool);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool constant = i >= 1 && i <= 3;
    known.push_back({&types[i], constant ? &inputs[i].tensor() : nullptr});
    ctx.SetInput(static_cast<int>(i), &inputs[i]);
  }
  InferContext infer(std::move(known), outputs);
  STINT_RETURN_IF_ERROR(InferTypes(op, infer));
  for (int i = 0; i < outputs; ++i) {
    const ValueType& type = infer.outputs()[static_cast<size_t>(i)];
    STINT_RETURN_IF_ERROR(ctx.Allocate(i, type.dtype, type.dims));
  }
  STINT_ASSIGN_OR_RETURN(const auto kernel,
                         MakeKernel(op, infer, {DetectIsa(), 2}));
  EXPECT_EQ(kernel->Explain(ctx).reason, "default") << "the reference ran";
  STINT_RETURN_IF_ERROR(RunOnce(kernel.get(), &ctx));
  std::vector<Value> made;
  for (int i = 0; i < outputs; ++i) made.push_back(ctx.out_value(i));
  return made;
}

template <typename Op>
void CheckLengths(Op op, const std::vector<int32_t>& lengths) {
  const Sizes sizes = {.length = 5,
                       .batch = static_cast<int64_t>(lengths.size()),
                       .directions = op.direction == "bidirectional" ? 2 : 1};
  op.hidden_size = sizes.hidden;
  const auto inputs = WithLengths(Inputs(op, sizes, false), lengths);
  const OpInputs all(inputs.begin(), inputs.end());
  const auto want = RunOp(op, all, kOutputs<Op>);
  const auto got = RunFast(op, inputs, kOutputs<Op>);
  ASSERT_TRUE(want.ok() && got.ok()) << got.status().message();
  for (size_t i = 0; i < want->size(); ++i) {
    ExpectClose(Elements((*got)[i].tensor()), Elements((*want)[i].tensor()),
                2e-5);
  }
}

TYPED_TEST(FastRecurrent, StopsAtTheLengthOfEachSequence) {
  for (const char* direction : {"forward", "reverse", "bidirectional"}) {
    TypeParam op;
    op.direction = direction;
    CheckLengths(op, {5, 0, 3, 1});
  }
}

TEST(FastLstm, RejectsASequenceLongerThanTheInput) {
  LSTM op;
  op.hidden_size = Sizes().hidden;
  for (int32_t length : {-1, 5}) {
    const auto inputs = WithLengths(Inputs(op, {}, false), {length, 2});
    EXPECT_EQ(RunFast(op, inputs, 3).status().code(),
              StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace stint
