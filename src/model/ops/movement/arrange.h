#pragma once
// Ops that move whole elements around without choosing among them.

#include <string>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// perm empty: dimensions reversed.
struct Transpose {
  static constexpr std::string_view kName = "Transpose";
  std::vector<int64_t> perm;
  STINT_FIELDS(perm)
};

struct Concat {
  static constexpr std::string_view kName = "Concat";
  int64_t axis = 0;
  STINT_FIELDS(axis)
};

// Inputs data, sizes (optional int64). Without sizes: num_outputs parts of
// equal size, the last one smaller when it does not divide.
struct Split {
  static constexpr std::string_view kName = "Split";
  int64_t axis = 0;
  int64_t num_outputs = 0;
  STINT_FIELDS(axis, num_outputs)
};

// Inputs data, repeats (int64, one per dimension).
struct Tile {
  static constexpr std::string_view kName = "Tile";
  STINT_FIELDS()
};

// mode "DCR" or "CRD".
struct DepthToSpace {
  static constexpr std::string_view kName = "DepthToSpace";
  int64_t blocksize = 1;
  std::string mode = "DCR";
  STINT_FIELDS(blocksize, mode)
};

struct SpaceToDepth {
  static constexpr std::string_view kName = "SpaceToDepth";
  int64_t blocksize = 1;
  STINT_FIELDS(blocksize)
};

Status Infer(const Transpose& op, InferContext& ctx);
Status Infer(const Concat& op, InferContext& ctx);
Status Infer(const Split& op, InferContext& ctx);
Status Infer(const Tile& op, InferContext& ctx);
Status Infer(const DepthToSpace& op, InferContext& ctx);
Status Infer(const SpaceToDepth& op, InferContext& ctx);

// op.perm, or the reversal of `rank` dimensions; checked to be a permutation.
Result<std::vector<int64_t>> Permutation(const Transpose& op, int64_t rank);

}  // namespace stint
