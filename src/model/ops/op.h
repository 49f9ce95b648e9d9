#pragma once
// Op: one operator of the closed set. What an operator means (its parameters,
// its shape rule and its cost) is defined once, in the header of its group;
// opset differences are settled at import, so every later stage sees one
// meaning.

#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/ops/cost.h"
#include "model/ops/op_list.h"

namespace stint {

// A value that is one of Operators. It does what std::variant does, without the
// functions that std::variant makes for each of so many alternatives in each
// file (a visit then takes a compiler half a minute and 300 MB of names).
class Op {
 public:
  Op();
  template <Operator T>
  // NOLINTNEXTLINE(google-explicit-constructor): every operator is an Op.
  Op(T op) : index_(kOpIndex<T>) {
    new (bytes_) T(std::move(op));
  }
  Op(const Op& other);
  Op(Op&& other) noexcept;
  Op& operator=(const Op& other);
  Op& operator=(Op&& other) noexcept;
  ~Op();

  // Its place in Operators.
  size_t index() const { return index_; }
  const void* data() const { return bytes_; }
  void* data() { return bytes_; }

 private:
  size_t index_ = 0;
  alignas(Operators::kAlignment) std::byte bytes_[Operators::kBytes];
};

// Null when it is another operator.
template <Operator T>
const T* As(const Op& op) {
  if (op.index() != kOpIndex<T>) return nullptr;
  return std::launder(static_cast<const T*>(op.data()));
}
template <Operator T>
T* As(Op* op) {
  if (op->index() != kOpIndex<T>) return nullptr;
  return std::launder(static_cast<T*>(op->data()));
}

namespace op_internal {

template <typename Result, typename T, typename F>
Result CallConst(F& f, const void* op) {
  return f(*std::launder(static_cast<const T*>(op)));
}
template <typename Result, typename T, typename F>
Result CallMutable(F& f, void* op) {
  return f(*std::launder(static_cast<T*>(op)));
}

template <typename F, typename... Ts>
decltype(auto) VisitConst(F& f, const Op& op, OpList<Ts...>) {
  using Result = decltype(f(std::declval<const Unary&>()));
  static constexpr Result (*kCalls[])(
      F&, const void*) = {CallConst<Result, Ts, F>...};
  return kCalls[op.index()](f, op.data());
}
template <typename F, typename... Ts>
decltype(auto) VisitMutable(F& f, Op* op, OpList<Ts...>) {
  using Result = decltype(f(std::declval<Unary&>()));
  static constexpr Result (*kCalls[])(F&,
                                      void*) = {CallMutable<Result, Ts, F>...};
  return kCalls[op->index()](f, op->data());
}

}  // namespace op_internal

// f(the operator as its own type). f returns the same type for all of them.
template <typename F>
decltype(auto) Visit(F&& f, const Op& op) {
  return op_internal::VisitConst(f, op, Operators{});
}
template <typename F>
decltype(auto) Visit(F&& f, Op* op) {
  return op_internal::VisitMutable(f, op, Operators{});
}

// One name an op can have: "Relu" is a Unary of one kind.
struct OpEntry {
  std::string_view name;
  Op (*make)(int kind);
  int kind;
  // An op with default parameters.
  Op Make() const { return make(kind); }
};

// Every operator, sorted by name.
std::span<const OpEntry> OpEntries();
// Null when there is no such operator.
const OpEntry* FindOp(std::string_view name);

std::string_view OpName(const Op& op);
// Made by passes or the engine; no file format has it.
bool IsFused(const Op& op);

// Fills the types of the outputs. An error names what does not fit, not the
// node. Inputs that the op cannot do without are present when its rule runs.
Status InferTypes(const Op& op, InferContext& ctx);

// `ctx` has been through InferTypes.
OpCost CostOf(const Op& op, const InferContext& ctx);

// "axis=1 keepdims=0": the fields, for dumps.
std::string FieldsToString(const Op& op);

}  // namespace stint
