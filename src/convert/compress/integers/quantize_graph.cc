#include "convert/compress/integers/quantize_graph.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "convert/compress/integers/integer_chains.h"
#include "convert/compress/repair/match_statistics.h"
#include "convert/compress/weight_matrix.h"
#include "convert/passes/pass.h"
#include "convert/passes/pipeline.h"

namespace stint {
namespace {

class GraphQuantizer {
 public:
  GraphQuantizer(const IntegerOptions& options, const Samples& samples,
                 ThreadPool* pool, Graph* graph)
      : options_(options), samples_(samples), pool_(pool), graph_(graph) {}

  Result<QuantizedLayers> Run() {
    STINT_RETURN_IF_ERROR(JoinActivations());
    Choose();
    GraphStatistics original;
    if (options_.correct_bias) {
      STINT_ASSIGN_OR_RETURN(original,
                             MeasureStatistics(*graph_, samples_, pool_));
    }
    STINT_RETURN_IF_ERROR(RoundWeights());
    if (options_.correct_bias) {
      STINT_RETURN_IF_ERROR(
          MatchStatistics(
              original, samples_, pool_,
              {.variance = false, .kept_bytes = options_.kept_bytes}, graph_)
              .status());
    }
    STINT_RETURN_IF_ERROR(MeasureRanges());
    FindReaders();
    FindWanted();
    CodeImages();
    for (auto& [id, scales] : scales_) {
      STINT_RETURN_IF_ERROR(CodeConv(id, scales));
    }
    STINT_RETURN_IF_ERROR(graph_->SortNodes());
    STINT_RETURN_IF_ERROR(InferGraph(graph_));
    return report_;
  }

 private:
  // Those that are named; where none are, those that gain by rule.
  void Choose() {
    const std::set<NodeId> all = FindConvolutions(*graph_);
    if (options_.layers.empty()) {
      chosen_ = WithoutLoneConvolutions(*graph_, all);
    }
    for (NodeId id : all) {
      const std::string& name = graph_->node(id).name;
      if (options_.layers.count(name) > 0) {
        chosen_.insert(id);
      } else if (options_.layers.empty() && chosen_.count(id) == 0) {
        report_.left_in_float.insert(name);
      }
    }
  }

  // An activation that is spelled out in several operators is one that kernels
  // know: its parts would each be computed in float32, between codes.
  Status JoinActivations() {
    STINT_ASSIGN_OR_RETURN(const int joined, FuseHardSwish(graph_));
    if (joined > 0) RemoveDeadNodes(graph_);
    return OkStatus();
  }

  // Puts the weights of every chosen convolution on a grid of 255 steps per
  // output.
  Status RoundWeights() {
    for (NodeId id : graph_->order()) {
      if (chosen_.count(id) == 0) continue;
      const auto matrix = WeightsOf(*graph_, id);
      STINT_ASSIGN_OR_RETURN(float* w, OwnWeights(*matrix, graph_));
      auto& scales = scales_[id];
      for (int64_t o = 0; o < matrix->outputs; ++o) {
        float* row = w + o * matrix->inputs;
        float most = 0;
        for (int64_t i = 0; i < matrix->inputs; ++i) {
          most = std::max(most, std::fabs(row[i]));
        }
        const float scale = most > 0 ? most / 127 : 1;
        for (int64_t i = 0; i < matrix->inputs; ++i) {
          row[i] = scale * std::nearbyint(row[i] / scale);
        }
        scales.push_back(scale);
      }
    }
    if (!report_.left_in_float.empty() && scales_.empty()) {
      return Unsupported(
          "no convolution of the model gains by int8: each stands alone "
          "between operators in float");
    }
    if (scales_.empty()) {
      return Unsupported("the model has no convolution to quantize");
    }
    return OkStatus();
  }

  Status MeasureRanges() {
    std::map<ValueId, Histogram> seen;
    for (size_t i = 0; i < graph_->inputs().size(); ++i) {
      for (const auto& sample : samples_) {
        AddTo(sample[i].tensor(), graph_->inputs()[i], &seen);
      }
    }
    STINT_RETURN_IF_ERROR(
        RunLayerwise(*graph_, samples_, pool_, [&](NodeId id, Tensor* output) {
          AddTo(*output, graph_->node(id).outputs[0], &seen);
          return OkStatus();
        }));
    for (const auto& [value, histogram] : seen) {
      codes_[value] = CodeOf(histogram.Range(options_.observer));
    }
    for (NodeId id : graph_->order()) KeepCode(id);
    return OkStatus();
  }

  // What only moves values needs no code of its own. 0 is in every code.
  void KeepCode(NodeId id) {
    if (!OnlyMoves(id)) return;
    const auto from = codes_.find(graph_->node(id).inputs[0]);
    const auto to = codes_.find(graph_->node(id).outputs[0]);
    if (from != codes_.end() && to != codes_.end()) to->second = from->second;
  }

  // Images of more than one pixel: others are as quick in float32.
  static void AddTo(const Tensor& tensor, ValueId value,
                    std::map<ValueId, Histogram>* seen) {
    if (tensor.dtype() != DType::kFloat32 || tensor.rank() != 4 ||
        tensor.dim(2) * tensor.dim(3) <= 1) {
      return;
    }
    (*seen)[value].Add(
        {tensor.data<float>(), static_cast<size_t>(tensor.size())});
  }

  void FindReaders() {
    for (NodeId id : graph_->order()) {
      for (ValueId in : graph_->node(id).inputs) {
        if (in.valid()) readers_[in].push_back(id);
      }
    }
  }

  // x * sigmoid(x) reads its input twice and is still one activation.
  bool IsGateOf(const Node& node, ValueId x) const {
    const Binary* binary = As<Binary>(node.op);
    if (binary == nullptr || binary->kind != BinaryKind::kMul) return false;
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId in) {
      const NodeId maker = graph_->value(in).producer;
      return maker.valid() && IsFusedActivation(graph_->node(maker).op) &&
             graph_->node(maker).inputs[0] == x;
    });
  }

  // Values that only change places: on the grid of the code they came from.
  bool OnlyMoves(NodeId id) const {
    return id.valid() &&
           (As<Slice>(graph_->node(id).op) || As<Pad>(graph_->node(id).op));
  }

  // A convolution that takes up the sum that alone reads it.
  bool TakesSum(ValueId value, NodeId reader) const {
    const Node& sum = graph_->node(reader);
    const Binary* binary = As<Binary>(sum.op);
    const auto is_read_once_conv = [&](ValueId in) {
      const NodeId maker = graph_->value(in).producer;
      const auto readers = readers_.find(in);
      return maker.valid() && scales_.count(maker) > 0 &&
             readers != readers_.end() && readers->second.size() == 1;
    };
    if (binary == nullptr || binary->kind != BinaryKind::kAdd ||
        !is_read_once_conv(value)) {
      return false;
    }
    // Of two convolutions, the first.
    return sum.inputs[0] == value || !is_read_once_conv(sum.inputs[0]);
  }

  // What chosen convolutions read, and what they and what is fused with them
  // make.
  void FindWanted() {
    for (const auto& [id, scales] : scales_) {
      const Node& node = graph_->node(id);
      wanted_.insert(node.inputs[0]);
      wanted_.insert(LastFused(node.outputs[0]));
    }
  }
  ValueId LastFused(ValueId value) {
    const auto readers = readers_.find(value);
    if (readers == readers_.end() || NeedsCode(value)) return value;
    for (NodeId id : readers->second) {
      const Node& reader = graph_->node(id);
      if (TakesSum(value, id)) {
        for (ValueId in : reader.inputs) {
          if (in != value) wanted_.insert(in);
        }
        return LastFused(reader.outputs[0]);
      }
      // Of x and sigmoid(x) the product is the last.
      if (readers->second.size() == 1 || IsGateOf(reader, value)) {
        return LastFused(reader.outputs[0]);
      }
    }
    return value;
  }

  bool IsWanted(ValueId value) const { return wanted_.count(value) > 0; }

  bool NeedsCode(ValueId value) const {
    const auto readers = readers_.find(value);
    if (readers == readers_.end()) return false;
    const NodeId only = readers->second[0];
    if (readers->second.size() == 1 &&
        (TakesSum(value, only) ||
         (OnlyMoves(graph_->value(value).producer) && OnlyMoves(only)))) {
      return false;
    }
    return !std::all_of(
        readers->second.begin(), readers->second.end(), [&](NodeId id) {
          const Node& node = graph_->node(id);
          return IsFusedActivation(node.op) || IsGateOf(node, value);
        });
  }

  void CodeImages() {
    for (const auto& [value, code] : codes_) {
      if (!NeedsCode(value) || !IsWanted(value)) continue;
      const std::string& name = graph_->value(value).name;
      const ValueId scale =
          graph_->AddConstant(name + ".scale", Tensor::Scalar(code.scale));
      const ValueId zero = graph_->AddConstant(
          name + ".zero", Tensor::Scalar(static_cast<uint8_t>(code.zero)));
      const ValueId bytes = graph_->Add(name + ".quantize", QuantizeLinear{},
                                        {value, scale, zero});
      const ValueId back = graph_->Add(name + ".dequantize", DequantizeLinear{},
                                       {bytes, scale, zero});
      for (NodeId reader : readers_[value]) {
        auto& inputs = graph_->node(reader).inputs;
        std::replace(inputs.begin(), inputs.end(), value, back);
      }
      input_scale_[back] = code.scale;
      ++report_.images;
    }
  }

  Status CodeConv(NodeId id, const std::vector<float>& scales) {
    const auto input = input_scale_.find(graph_->node(id).inputs[0]);
    if (input == input_scale_.end()) {
      report_.without_codes.insert(graph_->node(id).name);
      return OkStatus();
    }
    STINT_RETURN_IF_ERROR(CodeWeights(id, scales));
    Node& node = graph_->node(id);
    if (node.inputs.size() > 2 && node.inputs[2].valid()) {
      std::vector<float> steps;
      for (float scale : scales) steps.push_back(scale * input->second);
      STINT_RETURN_IF_ERROR(CodeBias(id, steps));
    }
    ++report_.convolutions;
    return OkStatus();
  }

  ValueId Dequantized(const std::string& name, Tensor codes,
                      const std::vector<float>& scales) {
    return graph_->Add(
        name + ".dequantize", DequantizeLinear{.axis = 0},
        {graph_->AddConstant(name + ".codes", std::move(codes)),
         graph_->AddConstant(name + ".scale", Tensor::Vector(scales))});
  }

  Status CodeWeights(NodeId id, const std::vector<float>& scales) {
    const ValueId value = graph_->node(id).inputs[1];
    const Tensor w = *graph_->value(value).constant;
    STINT_ASSIGN_OR_RETURN(Tensor codes,
                           Tensor::Allocate(DType::kInt8, w.shape()));
    const int64_t inputs = w.size() / w.dim(0);
    for (int64_t i = 0; i < w.size(); ++i) {
      const float step = scales[static_cast<size_t>(i / inputs)];
      codes.data<int8_t>()[i] =
          static_cast<int8_t>(std::lround(w.data<float>()[i] / step));
    }
    graph_->node(id).inputs[1] =
        Dequantized(graph_->value(value).name, std::move(codes), scales);
    return OkStatus();
  }

  Status CodeBias(NodeId id, const std::vector<float>& steps) {
    const ValueId value = graph_->node(id).inputs[2];
    const auto& bias = graph_->value(value).constant;
    if (!bias || bias->dtype() != DType::kFloat32) return OkStatus();
    std::vector<int32_t> codes;
    for (size_t o = 0; o < steps.size(); ++o) {
      const double code =
          static_cast<double>(bias->data<float>()[o]) / steps[o];
      // As far as int32 goes, and floats can say: 2^31 - 128.
      codes.push_back(static_cast<int32_t>(
          std::clamp(std::nearbyint(code), -2147483520.0, 2147483520.0)));
    }
    graph_->node(id).inputs[2] =
        Dequantized(graph_->value(value).name, Tensor::Vector(codes), steps);
    return OkStatus();
  }

  const IntegerOptions& options_;
  const Samples& samples_;
  ThreadPool* pool_;
  Graph* graph_;
  std::set<NodeId> chosen_;
  std::map<NodeId, std::vector<float>> scales_;  // of weights
  std::map<ValueId, ByteCode> codes_;            // of images
  std::map<ValueId, std::vector<NodeId>> readers_;
  std::set<ValueId> wanted_;              // next to chosen convolutions
  std::map<ValueId, float> input_scale_;  // of what is dequantized
  QuantizedLayers report_;
};

}  // namespace

Result<QuantizedLayers> QuantizeGraph(const IntegerOptions& options,
                                      const Samples& samples, ThreadPool* pool,
                                      Graph* graph) {
  if (samples.empty()) {
    return InvalidArgument("int8 needs data to measure the ranges of images");
  }
  return GraphQuantizer(options, samples, pool, graph).Run();
}

}  // namespace stint
