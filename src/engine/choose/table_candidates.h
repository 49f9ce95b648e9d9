#pragma once
// The rows of a kernel table as candidates for a layer.

#include <string>
#include <vector>

#include "core/platform/cpu_info.h"
#include "engine/bind/kernel_choice.h"

namespace stint {

// Tables are best first. `chosen` is a row of it, or null where a kernel of
// another table runs the layer; `prefix` goes before each name.
template <typename Table, typename Row, typename Fits>
std::vector<KernelCandidate> TableCandidates(const std::string& prefix,
                                             const Table& table, Isa cap,
                                             const Row* chosen,
                                             const Fits& fits) {
  std::vector<KernelCandidate> candidates;
  for (const Row& row : table) {
    KernelCandidate candidate{prefix + row.name};
    if (row.isa > cap) {
      candidate.refused = "needs " + std::string(IsaName(row.isa));
    } else if (!fits(row)) {
      candidate.refused = "does not compute this layer";
    } else if (chosen != nullptr && &row != chosen) {
      candidate.refused = std::string(chosen->name) +
                          " comes before it in the table, which is best first";
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

// Makes `why` what speaks against all that nothing speaks against yet.
inline void RefuseRest(const std::string& why,
                       std::vector<KernelCandidate>* candidates) {
  for (KernelCandidate& candidate : *candidates) {
    if (candidate.refused.empty()) candidate.refused = why;
  }
}

inline void Append(std::vector<KernelCandidate> more,
                   std::vector<KernelCandidate>* candidates) {
  for (KernelCandidate& candidate : more) {
    candidates->push_back(std::move(candidate));
  }
}

}  // namespace stint
