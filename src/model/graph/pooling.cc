#include "model/graph/pooling.h"

namespace stint {
namespace {

// sum(states * mask) / max(sum(mask), tiny) over the sequence.
ValueId MeanOverTokens(ValueId states, ValueId attention_mask, Graph* graph) {
  const ValueId axis2 =
      graph->AddConstant("pooling.hidden_axis", Tensor::Vector<int64_t>({2}));
  const ValueId axis1 =
      graph->AddConstant("pooling.sequence_axis", Tensor::Vector<int64_t>({1}));
  const ValueId least =
      graph->AddConstant("pooling.least", Tensor::Scalar(1e-9f));
  const ValueId mask =
      graph->Add("pooling.mask", Cast{DType::kFloat32}, {attention_mask});
  const ValueId wide =
      graph->Add("pooling.mask_wide", Unsqueeze{}, {mask, axis2});
  const ValueId tokens =
      graph->Add("pooling.tokens", Binary{BinaryKind::kMul}, {states, wide});
  const Op sum = Reduce{ReduceKind::kSum, 0, 0};
  const ValueId total = graph->Add("pooling.total", sum, {tokens, axis1});
  const ValueId count = graph->Add("pooling.count", sum, {wide, axis1});
  const ValueId divisor = graph->Add("pooling.divisor", Clip{}, {count, least});
  return graph->Add("sentence_embedding", Binary{BinaryKind::kDiv},
                    {total, divisor});
}

}  // namespace

Status AddPooling(Pooling pooling, Graph* graph) {
  if (pooling == Pooling::kNone) return OkStatus();
  if (graph->outputs().empty()) return InvalidArgument("no output to pool");
  const ValueId states = graph->outputs()[0];
  const ValueType& type = graph->value(states).type;
  if (type.ranked && type.rank() != 3) {
    return InvalidArgument("output '" + graph->value(states).name + "' is " +
                           ToString(type, graph->symbols()) +
                           ", pooling needs [batch,sequence,hidden]");
  }
  ValueId pooled;
  if (pooling == Pooling::kCls) {
    const ValueId zero =
        graph->AddConstant("pooling.first", Tensor::Scalar<int64_t>(0));
    pooled = graph->Add("sentence_embedding", Gather{1}, {states, zero});
  } else {
    ValueId mask;
    for (ValueId id : graph->inputs()) {
      if (graph->value(id).name == "attention_mask") mask = id;
    }
    if (!mask.valid()) {
      return InvalidArgument("no input 'attention_mask' to pool by");
    }
    pooled = MeanOverTokens(states, mask, graph);
  }
  graph->outputs() = {pooled};
  if (type.ranked) {
    graph->value(pooled).type =
        ValueType::Of(type.dtype, {type.dims[0], type.dims[2]});
  }
  return InferGraph(graph);
}

void AddNormalization(Graph* graph) {
  const ValueId rows = graph->outputs()[0];
  const std::string name = graph->value(rows).name;
  graph->value(rows).name = name + ".unscaled";
  graph->outputs()[0] = graph->Add(name, LpNormalization{-1, 2}, {rows});
}

}  // namespace stint
