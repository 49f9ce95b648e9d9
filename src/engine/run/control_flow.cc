#include "engine/run/control_flow.h"

#include <algorithm>
#include <cstring>

#include "core/base/check.h"
#include "core/tensor/element_access.h"
#include "engine/reference/movement/movement.h"
#include "engine/run/graph_runner.h"
#include "model/ops/infer_context.h"

namespace stint {
namespace {

Result<bool> ConditionOf(const Value& value) {
  if (!value.is_tensor() || value.tensor().dtype() != DType::kBool ||
      value.tensor().size() != 1) {
    return InvalidArgument("the condition is not one bool");
  }
  return *value.tensor().data<bool>();
}

std::vector<Value> InputsFrom(const EvalContext& ctx, int begin, int end) {
  std::vector<Value> values;
  for (int i = begin; i < end; ++i) values.push_back(ctx.in_value(i));
  return values;
}

class IfKernel : public NodeKernel {
 public:
  IfKernel(GraphRunner* then_branch, GraphRunner* else_branch)
      : then_(then_branch), else_(else_branch) {}

  Status Run(EvalContext& ctx) override {
    STINT_ASSIGN_OR_RETURN(const bool condition, ConditionOf(ctx.in_value(0)));
    const int split = 1 + then_->num_inputs();
    if (split + else_->num_inputs() != ctx.num_inputs()) {
      return InvalidArgument("a branch has inputs of its own");
    }
    STINT_ASSIGN_OR_RETURN(
        std::vector<Value> results,
        condition ? then_->RunBody(InputsFrom(ctx, 1, split))
                  : else_->RunBody(InputsFrom(ctx, split, ctx.num_inputs())));
    if (static_cast<int>(results.size()) != ctx.num_outputs()) {
      return InvalidArgument("a branch has " + std::to_string(results.size()) +
                             " outputs, expected " +
                             std::to_string(ctx.num_outputs()));
    }
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      ctx.SetOutput(i, std::move(results[i]));
    }
    return OkStatus();
  }

 private:
  GraphRunner* then_;
  GraphRunner* else_;
};

// The join of no tensors: a dimension of 0 at the axis, and where the type does
// not know a size.
Result<Tensor> NoParts(int64_t axis, const ValueType& type) {
  Shape shape = type.ranked ? type.dims : Shape();
  for (int64_t& dim : shape) dim = std::max<int64_t>(dim, 0);
  STINT_ASSIGN_OR_RETURN(
      axis, NormalizeAxis(axis, static_cast<int64_t>(shape.size()) + 1));
  shape.insert(shape.begin() + axis, 0);
  return Tensor::Allocate(type.typed ? type.dtype : DType::kFloat32, shape);
}

// Joins equal tensors along a new axis; `reversed` puts the last one first.
// `type` is what is known of one part, for when there are none.
Result<Tensor> Stack(const std::vector<Value>& parts, int64_t axis,
                     bool reversed, const ValueType& type) {
  if (parts.empty()) return NoParts(axis, type);
  const Tensor& first = parts[0].tensor();
  STINT_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, first.rank() + 1));
  Shape shape = first.shape();
  shape.insert(shape.begin() + axis, static_cast<int64_t>(parts.size()));
  STINT_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(first.dtype(), shape));
  int64_t inner = 1;
  for (size_t d = static_cast<size_t>(axis) + 1; d < shape.size(); ++d) {
    inner *= shape[d];
  }
  const int64_t count = static_cast<int64_t>(parts.size());
  for (int64_t p = 0; p < count; ++p) {
    const Value& part = parts[reversed ? count - 1 - p : p];
    if (!part.is_tensor() || part.tensor().shape() != first.shape() ||
        part.tensor().dtype() != first.dtype()) {
      return InvalidArgument("a scan output changes its shape");
    }
    VisitStorage(first.dtype(), [&]<typename T>() {
      const T* in = part.tensor().data<T>();
      const int64_t outer = inner > 0 ? first.size() / inner : 0;
      for (int64_t o = 0; o < outer; ++o) {
        std::copy_n(in + o * inner, inner,
                    out.data<T>() + (o * count + p) * inner);
      }
    });
  }
  return out;
}

class LoopKernel : public NodeKernel {
 public:
  LoopKernel(const Loop& op, GraphRunner* body) : op_(op), body_(body) {}

  Status Run(EvalContext& ctx) override {
    const int captured_at =
        ctx.num_inputs() - static_cast<int>(op_.num_captured);
    const int carried = captured_at - 2;
    const int64_t trips = ctx.has(0) ? ScalarAs<int64_t>(ctx.in(0)) : INT64_MAX;
    bool condition = true;
    if (ctx.has(1)) {
      STINT_ASSIGN_OR_RETURN(condition, ConditionOf(ctx.in_value(1)));
    }
    std::vector<Value> state = InputsFrom(ctx, 2, captured_at);
    const std::vector<Value> captured =
        InputsFrom(ctx, captured_at, ctx.num_inputs());
    const int scans = ctx.num_outputs() - carried;
    if (scans < 0 || body_->num_outputs() != ctx.num_outputs() + 1 ||
        body_->num_inputs() != ctx.num_inputs()) {
      return InvalidArgument("the body's inputs and outputs do not fit");
    }
    std::vector<std::vector<Value>> rows(static_cast<size_t>(scans));
    for (int64_t i = 0; i < trips && condition; ++i) {
      std::vector<Value> inputs = {Tensor::Scalar<int64_t>(i),
                                   Tensor::Scalar<bool>(condition)};
      inputs.insert(inputs.end(), state.begin(), state.end());
      inputs.insert(inputs.end(), captured.begin(), captured.end());
      STINT_ASSIGN_OR_RETURN(std::vector<Value> results,
                             body_->RunBody(inputs));
      STINT_ASSIGN_OR_RETURN(condition, ConditionOf(results[0]));
      std::move(results.begin() + 1, results.begin() + 1 + carried,
                state.begin());
      for (int s = 0; s < scans; ++s) {
        rows[s].push_back(std::move(results[1 + carried + s]));
      }
    }
    for (int i = 0; i < carried; ++i) ctx.SetOutput(i, std::move(state[i]));
    for (int s = 0; s < scans; ++s) {
      STINT_ASSIGN_OR_RETURN(
          Tensor stacked,
          Stack(rows[s], 0, false, body_->output_type(1 + carried + s)));
      ctx.SetOutput(carried + s, std::move(stacked));
    }
    return OkStatus();
  }

 private:
  const Loop op_;
  GraphRunner* body_;
};

// Element `index` along `axis`, that dimension dropped.
Result<Tensor> SliceAt(const Tensor& x, int64_t axis, int64_t index) {
  Shape shape = x.shape();
  const std::vector<int64_t> own = StridesOf(shape);
  std::vector<int64_t> strides = own;
  shape.erase(shape.begin() + axis);
  strides.erase(strides.begin() + axis);
  STINT_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(x.dtype(), shape));
  CopyStrided(x, own[axis] * index, strides, shape, &out);
  return out;
}

class ScanKernel : public NodeKernel {
 public:
  ScanKernel(const Scan& op, GraphRunner* body) : op_(op), body_(body) {}

  Status Run(EvalContext& ctx) override {
    const int captured_at =
        ctx.num_inputs() - static_cast<int>(op_.num_captured);
    const int scan_inputs = static_cast<int>(op_.num_scan_inputs);
    const int carried = captured_at - scan_inputs;
    const int scan_outputs = ctx.num_outputs() - carried;
    if (carried < 0 || scan_inputs < 1 || scan_outputs < 0 ||
        body_->num_inputs() != ctx.num_inputs() ||
        body_->num_outputs() != ctx.num_outputs()) {
      return InvalidArgument("the body's inputs and outputs do not fit");
    }
    std::vector<int64_t> axes;
    int64_t trips = -1;
    for (int i = 0; i < scan_inputs; ++i) {
      const Tensor& x = ctx.in(carried + i);
      STINT_ASSIGN_OR_RETURN(
          const int64_t axis,
          NormalizeAxis(At(op_.scan_input_axes, i), x.rank()));
      axes.push_back(axis);
      if (trips >= 0 && x.dim(axis) != trips) {
        return InvalidArgument("scan inputs differ in length");
      }
      trips = x.dim(axis);
    }
    std::vector<Value> state = InputsFrom(ctx, 0, carried);
    std::vector<std::vector<Value>> rows(static_cast<size_t>(scan_outputs));
    for (int64_t t = 0; t < trips; ++t) {
      std::vector<Value> inputs = state;
      for (int i = 0; i < scan_inputs; ++i) {
        const bool reversed = At(op_.scan_input_directions, i) != 0;
        STINT_ASSIGN_OR_RETURN(Tensor slice,
                               SliceAt(ctx.in(carried + i), axes[i],
                                       reversed ? trips - 1 - t : t));
        inputs.push_back(std::move(slice));
      }
      const auto captured = InputsFrom(ctx, captured_at, ctx.num_inputs());
      inputs.insert(inputs.end(), captured.begin(), captured.end());
      STINT_ASSIGN_OR_RETURN(std::vector<Value> results,
                             body_->RunBody(inputs));
      std::move(results.begin(), results.begin() + carried, state.begin());
      for (int s = 0; s < scan_outputs; ++s) {
        rows[s].push_back(std::move(results[carried + s]));
      }
    }
    for (int i = 0; i < carried; ++i) ctx.SetOutput(i, std::move(state[i]));
    for (int s = 0; s < scan_outputs; ++s) {
      STINT_ASSIGN_OR_RETURN(Tensor stacked,
                             Stack(rows[s], At(op_.scan_output_axes, s),
                                   At(op_.scan_output_directions, s) != 0,
                                   body_->output_type(carried + s)));
      ctx.SetOutput(carried + s, std::move(stacked));
    }
    return OkStatus();
  }

 private:
  // Attribute lists may be left out: zeros.
  static int64_t At(const std::vector<int64_t>& values, int i) {
    return i < static_cast<int>(values.size()) ? values[i] : 0;
  }

  const Scan op_;
  GraphRunner* body_;
};

class SequenceMapKernel : public NodeKernel {
 public:
  SequenceMapKernel(const SequenceMap& op, GraphRunner* body)
      : op_(op), body_(body) {}

  Status Run(EvalContext& ctx) override {
    const int captured_at =
        ctx.num_inputs() - static_cast<int>(op_.num_captured);
    if (captured_at < 1 || body_->num_inputs() != ctx.num_inputs() ||
        body_->num_outputs() != ctx.num_outputs()) {
      return InvalidArgument("the body's inputs and outputs do not fit");
    }
    STINT_ASSIGN_OR_RETURN(const size_t trips, TripsOf(ctx, captured_at));
    std::vector<std::vector<Value>> rows(
        static_cast<size_t>(ctx.num_outputs()));
    for (size_t t = 0; t < trips; ++t) {
      std::vector<Value> inputs = InputsFrom(ctx, 0, ctx.num_inputs());
      for (int i = 0; i < captured_at; ++i) {
        if (IsSequence(inputs[i])) {
          inputs[i] = ctx.in_value(i).elements()[t];
        }
      }
      STINT_ASSIGN_OR_RETURN(std::vector<Value> results, body_->Run(inputs));
      for (size_t i = 0; i < rows.size(); ++i) {
        rows[i].push_back(std::move(results[i]));
      }
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      ctx.SetOutput(static_cast<int>(i), Value::Sequence(std::move(rows[i])));
    }
    return OkStatus();
  }

 private:
  static bool IsSequence(const Value& value) {
    return value.kind() == Value::Kind::kSequence;
  }
  // The common length of the sequences among the inputs before `end`.
  static Result<size_t> TripsOf(const EvalContext& ctx, int end) {
    for (int i = 0; i < end; ++i) {
      if (!ctx.has(i)) return InvalidArgument("an input is missing");
    }
    const Value& first = ctx.in_value(0);
    if (!IsSequence(first)) {
      return InvalidArgument("the first input is not a sequence");
    }
    for (int i = 1; i < end; ++i) {
      const Value& value = ctx.in_value(i);
      if (IsSequence(value) &&
          value.elements().size() != first.elements().size()) {
        return InvalidArgument("sequences differ in length");
      }
    }
    return first.elements().size();
  }

  const SequenceMap op_;
  GraphRunner* body_;
};

}  // namespace

std::unique_ptr<NodeKernel> MakeControlKernel(
    const Op& op, const std::vector<GraphRunner*>& subgraphs) {
  const auto at = [&](SubgraphId id) { return subgraphs[id.index]; };
  if (const If* branch = As<If>(op)) {
    return std::make_unique<IfKernel>(at(branch->then_branch),
                                      at(branch->else_branch));
  }
  if (const Loop* loop = As<Loop>(op)) {
    return std::make_unique<LoopKernel>(*loop, at(loop->body));
  }
  if (const SequenceMap* map = As<SequenceMap>(op)) {
    return std::make_unique<SequenceMapKernel>(*map, at(map->body));
  }
  const Scan* scan = As<Scan>(op);
  STINT_CHECK(scan != nullptr);
  return std::make_unique<ScanKernel>(*scan, at(scan->body));
}

}  // namespace stint
