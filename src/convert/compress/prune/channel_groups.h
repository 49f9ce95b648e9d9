#pragma once
// Which channels of a graph depend on each other: a channel can only be taken
// out together with every weight, in every layer, that makes or reads it, and
// with the channels it is added to.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace stint {

// The channels of a value: dimension `axis`, one class of channels per index.
// Several indices may be of one class (flattened images).
struct ChannelAxis {
  int64_t axis = 0;
  std::vector<int32_t> channels;
};

// What changes with a constant when channels go: along `axis`, index i belongs
// to channels[i].
struct ChannelUse {
  ValueId constant;
  int64_t axis = 0;
  std::vector<int32_t> channels;
  NodeId node;            // the first that reads it
  bool produces = false;  // weights of that node, by its outputs
};

// Follows channels through a graph of ONNX operators. Channels that reach an
// output of the graph, or an operator that mixes or counts them in a way not
// known here, are fixed.
class ChannelGroups {
 public:
  // Types must have been inferred.
  explicit ChannelGroups(const Graph& graph);

  int num_channels() const { return static_cast<int>(parent_.size()); }
  // The class of a channel: those of one class go together.
  int32_t Class(int32_t channel) const;
  // Why channels of this class stay; empty: they may go.
  const std::string& Fixed(int32_t channel) const {
    return fixed_[Class(channel)];
  }
  const std::vector<ChannelUse>& uses() const { return uses_; }
  // Parts that values are split into, each by its channels: one at least has to
  // stay.
  const std::vector<std::vector<int32_t>>& parts() const { return parts_; }
  // Of all values whose channels are known.
  const std::map<ValueId, ChannelAxis>& axes() const { return axes_; }
  // The channels of a value, or null.
  const ChannelAxis* Of(ValueId value) const;

 private:
  void Follow(NodeId id);
  bool FollowWeights(const Node& node, NodeId id);
  bool FollowSame(const Node& node, NodeId id);
  bool ResizesPixelsOnly(const Node& node, int64_t channels) const;
  bool FollowElementwise(const Node& node, NodeId id);
  bool FollowShape(const Node& node);
  bool FollowSpread(const Node& node, const ChannelAxis& in, const Shape& to);
  bool FollowSqueeze(const Node& node);
  bool FollowSplit(const Node& node);
  bool FollowConcat(const Node& node);
  bool FollowPad(const Node& node);
  bool MayReverse(const Node& slice) const;
  void FollowConv(const Node& node, NodeId id);
  // What this operator does to channels is not known.
  void FixInputs(const Node& node);

  std::vector<int32_t> New(int64_t count);
  int32_t Root(int32_t channel);
  void Unite(int32_t a, int32_t b);
  void Unite(const std::vector<int32_t>& a, const std::vector<int32_t>& b);
  void Fix(const std::vector<int32_t>& channels, const std::string& reason);
  void Use(ChannelUse use);
  // Constants that somebody reads without following channels keep theirs.
  void FixOthersConstants();
  void Set(ValueId value, ChannelAxis axis);
  const Shape* Dims(ValueId value) const;
  const Tensor* Constant(const Node& node, size_t i) const;

  const Graph& graph_;
  std::vector<int32_t> parent_;
  std::vector<std::string> fixed_;
  std::map<ValueId, ChannelAxis> axes_;
  std::vector<ChannelUse> uses_;
  std::vector<std::vector<int32_t>> parts_;
  std::set<std::pair<ValueId, NodeId>> followed_;  // reads of constants
};

}  // namespace stint
