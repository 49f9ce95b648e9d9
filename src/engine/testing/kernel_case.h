#pragma once
// Runs an op by its fast kernel and by its reference evaluation.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/testing/isa_variants.h"
#include "engine/nodes/make_kernel.h"
#include "engine/reference/evaluate.h"
#include "kernels/testing/floats.h"

namespace stint {

struct In {
  Shape shape;
  bool constant = false;
  // Elements are `scale` * [-1, 1] + `offset`.
  float scale = 1;
  float offset = 0;
  bool absent = false;
  std::vector<int64_t> ints = {};  // not empty: a constant of int64, no floats
};
inline In Ints(std::vector<int64_t> values) {
  In in;
  in.constant = true;
  in.ints = std::move(values);
  return in;
}
inline In Absent() {
  In in;
  in.absent = true;
  return in;
}
inline In Constant(Shape shape) { return {std::move(shape), true}; }

inline std::vector<Isa> IsasHere() {
  std::vector<Isa> isas;
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512, Isa::kVnni,
                  Isa::kBf16, Isa::kAmx}) {
    if (RunsHere("instruction set", isa)) isas.push_back(isa);
  }
  return isas;
}

// A kernel that must not be the reference evaluation.
inline Result<std::unique_ptr<NodeKernel>> MakeFastKernel(
    const Op& op, const InferContext& types, const KernelSite& site) {
  auto kernel = MakeKernel(op, types, site);
  EXPECT_TRUE(kernel.ok() && !(*kernel)->IsReference())
      << OpName(op) << " on " << IsaName(site.isa)
      << " falls back to its reference";
  return kernel;
}

// An op with random inputs, inferred and ready to evaluate.
class KernelCase {
 public:
  KernelCase(const Op& op, const std::vector<In>& inputs, int outputs)
      : op_(op) {
    uint64_t seed = 100;
    for (const In& in : inputs) {
      present_.push_back(!in.absent);
      Tensor tensor = MakeTensor(in, ++seed);
      types_.push_back(ValueType::Of(tensor));
      values_.push_back(std::move(tensor));
    }
    std::vector<InferContext::Input> list;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!present_[i]) {
        list.push_back({});
        continue;
      }
      list.push_back(
          {&types_[i], inputs[i].constant ? &values_[i].tensor() : nullptr});
    }
    infer_ = std::make_unique<InferContext>(std::move(list), outputs);
    const Status status = InferTypes(op, *infer_);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  // Inputs and outputs; outputs are filled with a number no kernel may leave.
  EvalContext MakeContext(ThreadPool* pool) const {
    EvalContext ctx(values_.size(), infer_->outputs().size(), pool);
    for (size_t i = 0; i < values_.size(); ++i) {
      if (present_[i]) ctx.SetInput(static_cast<int>(i), &values_[i]);
    }
    for (size_t i = 0; i < infer_->outputs().size(); ++i) {
      const int k = static_cast<int>(i);
      const ValueType& type = infer_->outputs()[i];
      EXPECT_TRUE(ctx.Allocate(k, type.dtype, type.dims).ok());
      std::fill_n(ctx.out(k).data<float>(), ctx.out(k).size(), 777.0f);
    }
    return ctx;
  }

  static Tensor MakeTensor(const In& in, uint64_t seed) {
    if (!in.ints.empty()) {
      const auto count = static_cast<int64_t>(in.ints.size());
      return Tensor::FromVector<int64_t>({count}, in.ints).value();
    }
    Tensor tensor = Tensor::Allocate(DType::kFloat32, in.shape).value();
    const std::vector<float> values = RandomFloats(tensor.size(), seed);
    for (size_t i = 0; i < values.size(); ++i) {
      tensor.data<float>()[i] = values[i] * in.scale + in.offset;
    }
    return tensor;
  }

  const Op& op() const { return op_; }
  const InferContext& types() const { return *infer_; }

 private:
  Op op_;
  std::vector<ValueType> types_;
  std::vector<Value> values_;
  std::vector<bool> present_;
  std::unique_ptr<InferContext> infer_;
};

inline std::span<const float> Elements(const Tensor& tensor) {
  return {tensor.data<float>(), static_cast<size_t>(tensor.size())};
}

// Whether an op has a kernel of its own on an instruction set, or runs on its
// reference evaluation.
using RunsOnKernel = bool (*)(Isa isa);

// Runs the op by what MakeKernel makes and compares with `expected`.
inline void ExpectRunMatches(const KernelCase& test, EvalContext& expected,
                             const KernelSite& site, double tolerance) {
  ThreadPool pool(site.threads);
  EvalContext ctx = test.MakeContext(&pool);
  auto kernel = MakeKernel(test.op(), test.types(), site);
  ASSERT_TRUE(kernel.ok());
  const Status status = RunOnce(kernel->get(), &ctx);
  ASSERT_TRUE(status.ok()) << status.message();
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    ExpectClose(Elements(ctx.out(i)), Elements(expected.out(i)), tolerance);
  }
}

// The outputs agree on every instruction set of this machine, on one thread and
// on three, and what runs is what `on_kernel` says.
inline void ExpectMatchesReference(const KernelCase& test,
                                   RunsOnKernel on_kernel, double tolerance) {
  ThreadPool one(1);
  EvalContext expected = test.MakeContext(&one);
  ASSERT_TRUE(Evaluate(test.op(), expected).ok());
  for (Isa isa : IsasHere()) {
    for (int threads : {1, 3}) {
      SCOPED_TRACE(std::string(OpName(test.op())) + " on " +
                   std::string(IsaName(isa)) + ", input 0 " +
                   ToString(expected.in(0).shape()));
      const auto kernel = MakeKernel(test.op(), test.types(), {isa, threads});
      ASSERT_TRUE(kernel.ok());
      EXPECT_EQ((*kernel)->IsReference(), !on_kernel(isa));
      ExpectRunMatches(test, expected, {isa, threads}, tolerance);
    }
  }
}

inline void ExpectFastMatchesReference(const Op& op,
                                       const std::vector<In>& inputs,
                                       int outputs = 1,
                                       double tolerance = 2e-5) {
  ExpectMatchesReference(
      KernelCase(op, inputs, outputs), [](Isa) { return true; }, tolerance);
}

// There is no kernel for such inputs; that costs speed, not answers.
inline void ExpectReferenceRuns(const Op& op, const std::vector<In>& inputs) {
  ExpectMatchesReference(
      KernelCase(op, inputs, 1), [](Isa) { return false; }, 2e-5);
}

}  // namespace stint
