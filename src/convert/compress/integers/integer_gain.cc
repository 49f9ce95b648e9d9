#include "convert/compress/integers/integer_gain.h"

#include <map>
#include <set>

#include "convert/compress/integers/integer_chains.h"
#include "convert/compress/integers/min_cut.h"

namespace stint {
namespace {

// Of the time in int8: what is within it of the time in float is noise.
constexpr double kNoise = 1.03;

class GainFinder {
 public:
  GainFinder(const Graph& graph, const TimedForms& times)
      : graph_(graph),
        times_(times),
        in_float_(ByNode(times.in_float)),
        in_bytes_(ByNode(times.in_bytes)),
        us_per_element_(MeasureConversions()) {}

  std::vector<IntegerGain> Run() {
    const std::vector<bool> bytes = CheapestLabels(Items(), Pairs());
    std::vector<IntegerGain> gains;
    const std::set<NodeId> convolutions = FindConvolutions(graph_);
    for (size_t i = 0; i < graph_.order().size(); ++i) {
      const NodeId id = graph_.order()[i];
      if (convolutions.count(id) == 0) continue;
      gains.push_back(GainOf(graph_.node(id).name, bytes[i]));
    }
    return gains;
  }

 private:
  using Steps = std::map<std::string, TimedStep>;

  static Steps ByNode(const std::vector<TimedStep>& steps) {
    Steps by_node;
    for (const TimedStep& step : steps) {
      if (!IsConversion(step)) by_node[step.node] = step;
    }
    return by_node;
  }

  static const TimedStep* Find(const Steps& steps, const std::string& node) {
    const auto found = steps.find(node);
    return found != steps.end() ? &found->second : nullptr;
  }

  int64_t ElementsOf(ValueId value) const {
    const auto index = static_cast<size_t>(value.index);
    return index < times_.elements.size() ? times_.elements[index] : 0;
  }

  // Conversions are named after the value, "x.bytes", and a value may take two
  // of them: out of bytes, and into blocks.
  double MeasureConversions() const {
    std::map<std::string, int64_t> elements;
    for (size_t i = 0; i < graph_.num_values(); ++i) {
      const ValueId id{static_cast<int32_t>(i)};
      elements[graph_.value(id).name] = ElementsOf(id);
    }
    std::set<std::string> seen;
    double us = 0, converted = 0;
    for (const TimedStep& step : times_.in_bytes) {
      const std::string value = step.node.substr(0, step.node.rfind('.'));
      const auto found = elements.find(value);
      if (!IsConversion(step) || found == elements.end()) continue;
      us += step.us;
      if (seen.insert(value).second) {
        converted += static_cast<double>(found->second);
      }
    }
    return converted > 0 ? us / converted : 0;
  }

  // What another step has taken up costs nothing in either form.
  LabelCosts CostsOf(const Node& node) const {
    LabelCosts costs;
    const TimedStep* in_float = Find(in_float_, node.name);
    const TimedStep* in_bytes = Find(in_bytes_, node.name);
    if (in_float != nullptr) costs.cost[0] = in_float->us;
    if (in_bytes != nullptr) {
      costs.cost[1] = TakesBytes(*in_bytes) ? kNoise * in_bytes->us : kNever;
    }
    return costs;
  }

  static bool TakesBytes(const TimedStep& step) {
    return step.op.starts_with("Quantized") || step.op == "Slice" ||
           step.op == "Pad";
  }

  // The nodes in order, and the world outside, which is in float.
  std::vector<LabelCosts> Items() const {
    std::vector<LabelCosts> items;
    for (NodeId id : graph_.order()) items.push_back(CostsOf(graph_.node(id)));
    items.push_back({{0, kNever}});
    return items;
  }

  std::vector<Disagreement> Pairs() const {
    const size_t outside = graph_.order().size();
    std::map<ValueId, size_t> maker;
    for (ValueId in : graph_.inputs()) maker[in] = outside;
    std::vector<Disagreement> pairs;
    const auto add = [&](ValueId value, size_t reader) {
      const auto found = maker.find(value);
      if (found == maker.end()) return;  // a constant
      pairs.push_back(
          {found->second, reader,
           us_per_element_ * static_cast<double>(ElementsOf(value))});
    };
    for (size_t i = 0; i < outside; ++i) {
      const Node& node = graph_.node(graph_.order()[i]);
      for (ValueId in : node.inputs) add(in, i);
      for (ValueId out : node.outputs) maker[out] = i;
    }
    for (ValueId out : graph_.outputs()) add(out, outside);
    return pairs;
  }

  IntegerGain GainOf(const std::string& layer, bool pays) const {
    IntegerGain gain;
    gain.layer = layer;
    const TimedStep* in_float = Find(in_float_, layer);
    const TimedStep* in_bytes = Find(in_bytes_, layer);
    if (in_float != nullptr) gain.float_us = in_float->us;
    if (in_bytes == nullptr || in_bytes->op != "QuantizedConv") {
      gain.reason = "no integer kernel here";
      return gain;
    }
    gain.int8_us = in_bytes->us;
    gain.pays = pays;
    if (pays) return gain;
    gain.reason = kNoise * gain.int8_us < gain.float_us
                      ? "conversions around it cost more than it saves"
                      : "not faster in int8";
    return gain;
  }

  const Graph& graph_;
  const TimedForms& times_;
  const Steps in_float_;
  const Steps in_bytes_;
  const double us_per_element_;  // of a value between float and bytes
};

}  // namespace

std::vector<IntegerGain> FindIntegerGains(const Graph& graph,
                                          const TimedForms& times) {
  return GainFinder(graph, times).Run();
}

}  // namespace stint
