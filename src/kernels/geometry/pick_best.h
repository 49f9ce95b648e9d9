#pragma once
// The choice within a kernel table: rows are best first, and the last one runs
// on every machine and shape.

#include "core/base/check.h"
#include "core/platform/cpu_info.h"

namespace stint {

// The best row that runs on a machine of level `cap` and for which
// `fits(row)` holds.
template <typename Table, typename Fits>
const auto& PickBest(const Table& table, Isa cap, const Fits& fits) {
  for (const auto& row : table) {
    if (row.isa <= cap && fits(row)) return row;
  }
  STINT_CHECK(false);
}

template <typename Table>
const auto& PickBest(const Table& table, Isa cap) {
  return PickBest(table, cap, [](const auto&) { return true; });
}

}  // namespace stint
