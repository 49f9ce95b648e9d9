#pragma once
// What an evaluation of one op sees: its inputs, its outputs, scratch memory
// and the threads it may use.

#include <cstddef>
#include <memory>
#include <vector>

#include "core/platform/thread_pool.h"
#include "stint/tensor.h"

namespace stint {

// What a kernel works out once for given shapes, kept with a step.
class StepState {
 public:
  virtual ~StepState() = default;
};

class EvalContext {
 public:
  EvalContext(size_t num_inputs, size_t num_outputs, ThreadPool* pool)
      : inputs_(num_inputs, nullptr),
        outputs_(num_outputs),
        wanted_(num_outputs, true),
        pool_(pool) {}

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  bool has(int i) const { return i < num_inputs() && inputs_[i] != nullptr; }
  // Tensor input i, which must be present.
  const Tensor& in(int i) const { return inputs_[i]->tensor(); }
  const Value& in_value(int i) const { return *inputs_[i]; }

  // Somebody reads output i.
  bool wants(int i) const { return i < num_outputs() && wanted_[i]; }
  // Output i with memory for the shape that the shape rule gave.
  Tensor& out(int i) { return outputs_[i].tensor(); }
  Value& out_value(int i) { return outputs_[i]; }
  // Gives output i memory, for shapes that only the evaluation knows. Keeps
  // what is there when type and shape fit.
  Status Allocate(int i, DType dtype, const Shape& shape);

  ThreadPool* pool() const { return pool_; }

  // For whoever prepares an evaluation.
  void SetInput(int i, const Value* value) { inputs_[i] = value; }
  void SetOutput(int i, Value value) { outputs_[i] = std::move(value); }
  void SetWanted(int i, bool wanted) { wanted_[i] = wanted; }
  void SetScratch(void* scratch) { scratch_ = scratch; }
  // As many bytes as the kernel asked for, aligned to 64.
  void* scratch() const { return scratch_; }
  void SetState(std::unique_ptr<StepState> state) { state_ = std::move(state); }
  // What the kernel's Prepare returned.
  template <typename State>
  const State& state() const {
    return *static_cast<const State*>(state_.get());
  }

 private:
  std::vector<const Value*> inputs_;
  std::vector<Value> outputs_;
  std::vector<bool> wanted_;
  ThreadPool* pool_;
  void* scratch_ = nullptr;
  std::unique_ptr<StepState> state_;
};

}  // namespace stint
