#pragma once
// Control flow. A subgraph sees nothing of its surroundings: values it uses
// from outside are extra inputs at the end, of the op and of the subgraph.

#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Inputs condition, then captured values (first those of then_branch, then
// those of else_branch).
struct If {
  static constexpr std::string_view kName = "If";
  SubgraphId then_branch;
  SubgraphId else_branch;
  STINT_FIELDS(then_branch, else_branch)
};

// Inputs max trip count (optional), condition (optional), carried values, then
// captured values. Subgraph inputs: iteration, condition, carried, captured;
// outputs: condition, carried, scan outputs.
struct Loop {
  static constexpr std::string_view kName = "Loop";
  SubgraphId body;
  int64_t num_captured = 0;
  STINT_FIELDS(body)
};

// Inputs carried values, scan inputs, then captured values.
struct Scan {
  static constexpr std::string_view kName = "Scan";
  SubgraphId body;
  int64_t num_scan_inputs = 0;
  std::vector<int64_t> scan_input_axes;
  std::vector<int64_t> scan_input_directions;
  std::vector<int64_t> scan_output_axes;
  std::vector<int64_t> scan_output_directions;
  int64_t num_captured = 0;
  STINT_FIELDS(body, num_scan_inputs, scan_input_axes, scan_input_directions,
               scan_output_axes, scan_output_directions)
};

// Inputs a sequence, further sequences of the same length or tensors, then
// captured values. The body runs once per element; outputs are sequences.
struct SequenceMap {
  static constexpr std::string_view kName = "SequenceMap";
  SubgraphId body;
  int64_t num_captured = 0;
  STINT_FIELDS(body)
};

// The types of the outputs are only known once a subgraph has run.
Status Infer(const If& op, InferContext& ctx);
Status Infer(const Loop& op, InferContext& ctx);
Status Infer(const Scan& op, InferContext& ctx);
Status Infer(const SequenceMap& op, InferContext& ctx);

}  // namespace stint
