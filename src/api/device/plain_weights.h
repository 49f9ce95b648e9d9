#pragma once
// The weights of a session's model in the form that its kernels start from, and
// how they are freed once kernels have packed them.

#include <memory>

#include "weights/package/package.h"

namespace stint {

class PlainWeights {
 public:
  // The package belongs to this session alone, and stays.
  explicit PlainWeights(Package* package) : package_(package) {}

  // Kernels of other precisions start from plain weights, also where the
  // package has only packed ones.
  Status Restore();
  // Packed weights of the package; null after Restore has made plain ones.
  const PackedTable* packed() const {
    return restored_ == nullptr ? &package_->packed : nullptr;
  }
  const Graph& graph() const {
    return restored_ == nullptr ? *package_->graph : *restored_;
  }
  // Drops the elements of this constant.
  void Release(ValueId id);

 private:
  Package* const package_;
  std::unique_ptr<Graph> restored_;
};

// Drops the elements of a constant of `graph`. Values that lowering added are
// no values of the model's graph, and are passed over there.
void ReleaseConstant(ValueId id, Graph* graph);

}  // namespace stint
