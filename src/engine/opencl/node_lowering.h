#pragma once
// What the lowering of one node sees and adds to: shapes, constants, buffers by
// number, steps.

#include <string>
#include <vector>

#include "engine/opencl/opencl_step.h"
#include "engine/opencl/opencl_weights.h"
#include "engine/run/memory_plan.h"
#include "model/graph/graph.h"

namespace stint {

// The buffers and steps of a program that is being put together.
struct OpenClDraft {
  // A buffer in the arena, by its life, or one of its own.
  struct Buffer {
    int life = -1;       // index into `lives`
    OpenClBuffer fixed;  // where there is no life
  };
  std::vector<Buffer> buffers;
  std::vector<BufferLife> lives;
  std::vector<OpenClStep> steps;

  // A buffer in the arena, written by the next step.
  BufferNumber AddBuffer(int64_t bytes);
  BufferNumber AddFixed(OpenClBuffer buffer);
  // The next step reads it.
  void Touch(BufferNumber buffer);
};

// A value while a program is put together.
struct OpenClValue {
  ValueType type;
  const Tensor* contents = nullptr;  // when known before the run
  bool lasting = false;  // contents are the same whatever the inputs' shapes
  BufferNumber buffer;   // none: not on the device (yet)
};

// What the nodes of a program share while it is put together.
struct LoweringSite {
  const Graph* graph;
  OpenClTile tile;
  OpenClWeights* weights;
  OpenClDraft* draft;
  std::vector<OpenClValue>* values;
};

class NodeLowering {
 public:
  NodeLowering(const LoweringSite& site, NodeId id);

  const Node& node() const { return node_; }
  template <Operator T>
  const T& op() const {
    return *As<T>(node_.op);
  }
  const OpenClTile& tile() const { return tile_; }

  bool has(int i) const;
  int num_inputs() const { return static_cast<int>(node_.inputs.size()); }
  const Shape& in(int i) const { return value(i).type.dims; }
  // Contents of input i, or null.
  const Tensor* constant(int i) const;
  // Integers of input i; empty when it is absent.
  Result<std::vector<int64_t>> Ints(int i) const;
  // The one number of input i, or `otherwise` when it is absent.
  Result<float> Number(int i, float otherwise) const;
  const Shape& out(int i = 0) const { return outputs_[i]; }
  bool wants(int i) const;

  // Input i on the device. kUnsupported when it is not float32.
  Result<BufferNumber> Input(int i);
  BufferNumber Output(int i = 0);
  // For `elements` floats, until the node's last step.
  BufferNumber Temporary(int64_t elements);
  // A constant of `count` floats that the node makes of its constants; `what`
  // tells several apart. Later programs find it there: `fill`, which writes it,
  // is called once.
  Result<BufferNumber> Weights(const std::string& what, int64_t count,
                               FunctionRef<void(float*)> fill);

  void Launch(OpenClLaunch launch);
  // Output i is input j under another shape.
  Status Alias(int i, int j);

 private:
  const OpenClValue& value(int i) const {
    return (*values_)[static_cast<size_t>(node_.inputs[i].index)];
  }

  NodeId id_;
  const Node& node_;
  OpenClTile tile_;
  OpenClWeights* weights_;
  OpenClDraft* draft_;
  std::vector<OpenClValue>* values_;
  std::vector<Shape> outputs_;
};

// Null when no kernel computes the op.
using LowerFunction = Status (*)(NodeLowering* node);
LowerFunction FindLowering(const Op& op);

// Each adds the steps of one kind of op.
Status LowerConv(NodeLowering* node);
Status LowerFusedConv(NodeLowering* node);
Status LowerFusedLinear(NodeLowering* node);
Status LowerMatMul(NodeLowering* node);
Status LowerGemm(NodeLowering* node);
Status LowerUnary(NodeLowering* node);
Status LowerBinary(NodeLowering* node);
Status LowerVariadic(NodeLowering* node);
Status LowerBatchNorm(NodeLowering* node);
Status LowerLayerNorm(NodeLowering* node);
Status LowerSoftmax(NodeLowering* node);
Status LowerMaxPool(NodeLowering* node);
Status LowerAveragePool(NodeLowering* node);
Status LowerGlobalPool(NodeLowering* node);
Status LowerReduce(NodeLowering* node);
Status LowerView(NodeLowering* node);
Status LowerTranspose(NodeLowering* node);
Status LowerExpand(NodeLowering* node);
Status LowerSlice(NodeLowering* node);
Status LowerSplit(NodeLowering* node);
Status LowerConcat(NodeLowering* node);
Status LowerPad(NodeLowering* node);

}  // namespace stint
