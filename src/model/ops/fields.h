#pragma once
// STINT_FIELDS(a, b) lists an op's parameters once. The list drives the text
// dump, ONNX import and export, and serialization: a field's name is the name
// of the ONNX attribute of the newest opset. Field types: int64_t, float,
// std::string, vectors of these, DType, Tensor, SubgraphId.

#include <cstdint>

namespace stint {

// Index of a subgraph in the graph that owns it.
struct SubgraphId {
  int32_t index = -1;
  bool operator==(const SubgraphId&) const = default;
};

}  // namespace stint

#define STINT_PARENS ()
#define STINT_EXPAND(...) STINT_EXPAND3(STINT_EXPAND3(__VA_ARGS__))
#define STINT_EXPAND3(...) STINT_EXPAND2(STINT_EXPAND2(__VA_ARGS__))
#define STINT_EXPAND2(...) STINT_EXPAND1(STINT_EXPAND1(__VA_ARGS__))
#define STINT_EXPAND1(...) STINT_EXPAND0(STINT_EXPAND0(__VA_ARGS__))
#define STINT_EXPAND0(...) __VA_ARGS__
#define STINT_VISIT_EACH(...) \
  __VA_OPT__(STINT_EXPAND(STINT_VISIT_NEXT(__VA_ARGS__)))
#define STINT_VISIT_NEXT(field, ...) \
  visit(#field, op.field);           \
  __VA_OPT__(STINT_VISIT_AGAIN STINT_PARENS(__VA_ARGS__))
#define STINT_VISIT_AGAIN() STINT_VISIT_NEXT

#define STINT_FIELDS(...)                              \
  template <typename Self, typename Visit>             \
  static void Fields([[maybe_unused]] Self& op,        \
                     [[maybe_unused]] Visit&& visit) { \
    STINT_VISIT_EACH(__VA_ARGS__)                      \
  }
