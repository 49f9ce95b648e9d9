// The kernel of every layer of a few networks, by precision and instruction
// set, compared with a committed list: a change that should not choose other
// kernels leaves kernel_choices.txt as it is. Where a choice is meant to
// change, run the test with STINT_WRITE_CHOICES=1 and commit what changed.
// Instruction sets that this machine lacks are counted as skipped.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "convert/passes/pipeline.h"
#include "core/base/random.h"
#include "engine/device/conv_costs.h"
#include "engine/device/conv_schedules.h"
#include "engine/lower/lower_graph.h"
#include "engine/profile/conv_layers.h"
#include "engine/run/graph_runner.h"
#include "engine/run/step_choices.h"
#include "engine/run/zero_inputs.h"
#include "lab/networks/make_network.h"
#include "weights/package/package.h"

namespace stint {
namespace {

constexpr NominalSizes kSizes = {.batch = 1, .sequence = 48, .image = 224};

// What a layer is chosen by, besides its graph.
struct Variant {
  std::string name;
  std::function<void(const Graph&, KernelSite*)> apply;
};

struct Case {
  std::string network;
  double zeros = 0;  // share of weights
  std::vector<Precision> precisions;
};

// Sets that share of the weights to 0, wherever they fall.
void MakeSparse(double zeros, Graph* graph) {
  Random random(5);
  for (size_t i = 0; i < graph->num_values(); ++i) {
    auto& constant = graph->value({static_cast<int32_t>(i)}).constant;
    if (!constant || constant->rank() < 2) continue;
    for (int64_t j = 0; j < constant->size(); ++j) {
      if (random.NextDouble() < zeros) constant->data<float>()[j] = 0;
    }
  }
}

std::unique_ptr<Graph> Build(const Case& c) {
  const Model model = MakeNetwork(c.network, 1).value();
  std::unique_ptr<Graph> graph = model.package()->graph->Clone();
  EXPECT_TRUE(RunPasses(graph.get()).ok());
  if (c.zeros > 0) MakeSparse(c.zeros, graph.get());
  return graph;
}

std::vector<Value> InputsOf(const Graph& graph) {
  return ZeroInputs(graph, kSizes).value();
}

// One range for all activations: which one does not matter here.
ActivationRanges SomeRanges(const Graph& graph) {
  return ActivationRanges(graph.num_values(), ActivationRange{-2, 6});
}

// Exactly one candidate is not refused, and it is the choice.
void ExpectExplained(const Node& node, const KernelChoice& choice) {
  int chosen = 0;
  for (const KernelCandidate& candidate : choice.candidates) {
    if (!candidate.refused.empty()) continue;
    ++chosen;
    EXPECT_EQ(candidate.kernel, choice.kernel) << node.name;
  }
  EXPECT_EQ(chosen, 1) << node.name << " " << choice.kernel;
  EXPECT_FALSE(choice.rule.empty()) << node.name;
}

// What each node chose: "kernel reason schedule", and the layout of its packed
// weights. Only nodes that have one of both.
std::string ListChoices(const Graph& graph, const KernelSite& site) {
  const ActivationRanges ranges = SomeRanges(graph);
  const bool int8 = site.precision == Precision::kInt8;
  const auto lowered = LowerGraph(graph, site, int8 ? &ranges : nullptr);
  if (!lowered.ok()) return "  " + lowered.status().message() + "\n";
  ThreadPool pool(site.threads);
  GraphRunner runner(lowered->get(), site, &pool);
  EXPECT_TRUE(runner.Prepare().ok());
  const Status bound = runner.BindTo(InputsOf(graph));
  if (!bound.ok()) return "  " + bound.message() + "\n";
  std::string list;
  runner.VisitSteps([&](const Node& node, const Step& step) {
    if (step.dynamic) return;
    const KernelChoice choice = step.kernel->Explain(step.ctx);
    const PackedWeights* packed = step.kernel->packed();
    if (choice.kernel.empty() && packed == nullptr) return;
    ExpectExplained(node, choice);
    const auto word = [](const std::string& text) {
      return text.empty() ? std::string("-") : text;
    };
    list += "  " + node.name + " " + std::string(OpName(node.op)) + ": " +
            word(choice.kernel) + " " + word(choice.reason) + " " +
            word(choice.schedule) + " " +
            (packed == nullptr ? "-" : packed->layout) + "\n";
  });
  return list;
}

// Convolutions as they are in float32, which is what is measured and tuned.
std::vector<ConvLayer> LayersOf(const Graph& graph, KernelSite site) {
  site.precision = Precision::kFloat32;
  ThreadPool pool(1);
  auto layers = FindConvLayers(graph, InputsOf(graph), site, &pool);
  EXPECT_TRUE(layers.ok());
  return layers.ok() ? std::move(layers).value() : std::vector<ConvLayer>();
}

// Times that differ by layer and primitive, as if they had been measured.
void PretendMeasured(const Graph& graph, bool sparse, KernelSite* site) {
  auto costs = std::make_shared<ConvCosts>();
  Random random(3);
  for (const ConvLayer& layer : LayersOf(graph, *site)) {
    std::vector<PrimitiveCost> times;
    for (const auto* row :
         FittingConvBlockedF32(layer.shape, layer.input, site->isa)) {
      times.push_back({row->primitive, 10 + random.NextDouble()});
    }
    for (const char* name : {"sparse_im2col4@10", "sparse_im2col4@40",
                             "sparse_spatial1@10", "sparse_spatial1@40"}) {
      if (sparse) times.push_back({name, 8 + 4 * random.NextDouble()});
    }
    costs->Set(layer.name, times);
  }
  site->conv_costs = costs;
}

// Every other layer, by what fits it last.
void PretendTuned(const Graph& graph, KernelSite* site) {
  auto schedules = std::make_shared<ConvSchedules>();
  bool take = true;
  for (const ConvLayer& layer : LayersOf(graph, *site)) {
    const auto rows =
        FittingConvBlockedF32(layer.shape, layer.input, site->isa);
    if (take && !rows.empty()) {
      schedules->Set(layer.name,
                     {{rows.back()->primitive, {.tile_blocks = 1}}, 5, 7});
    }
    take = !take;
  }
  site->schedules = schedules;
}

Variant Forced(const std::string& primitive) {
  return {"primitive=" + primitive, [primitive](const Graph&, KernelSite* s) {
            s->primitive = primitive;
          }};
}

std::vector<Variant> AllVariants() {
  std::vector<Variant> variants;
  for (const char* name :
       {"direct", "im2col", "winograd4", "generated", "sparse"}) {
    variants.push_back(Forced(name));
  }
  variants.push_back({"measured", [](const Graph& g, KernelSite* s) {
                        PretendMeasured(g, false, s);
                      }});
  variants.push_back({"measured+sparse", [](const Graph& g, KernelSite* s) {
                        PretendMeasured(g, true, s);
                      }});
  variants.push_back(
      {"tuned", [](const Graph& g, KernelSite* s) { PretendTuned(g, s); }});
  variants.push_back({"untuned", [](const Graph&, KernelSite* s) {
                        s->schedule_mode = ScheduleMode::kUntuned;
                      }});
  variants.push_back({"allowance", [](const Graph&, KernelSite* s) {
                        s->allowance = std::make_shared<WeightAllowance>();
                        s->allowance->bytes = 100'000;
                      }});
  variants.push_back({"small", [](const Graph&, KernelSite* s) {
                        s->network_weights = 100'000;
                      }});
  return variants;
}

// The list by heading: "resnet50 fp32 avx512". Counts instruction sets.
class Choices {
 public:
  void Add(const Case& c) {
    const auto graph = Build(c);
    for (Precision precision : c.precisions) {
      for (const char* cap : {"sse2", "avx2", "avx512", "vnni", "bf16"}) {
        const Isa isa = *ParseIsa(cap);
        if (!Runs(isa)) continue;
        Add(c, *graph, {"", nullptr}, {isa, 1, precision});
      }
    }
  }
  // At one instruction set by everything that has a say.
  void AddVariants(const Case& c) {
    const auto graph = Build(c);
    for (Precision precision : c.precisions) {
      for (const Variant& variant : AllVariants()) {
        if (!Runs(Isa::kVnni)) return;
        Add(c, *graph, variant, {Isa::kVnni, 1, precision});
      }
    }
  }
  std::string Text() const {
    std::string text;
    for (const auto& [heading, list] : lists_) text += heading + "\n" + list;
    return text;
  }
  const std::map<std::string, std::string>& lists() const { return lists_; }
  const std::map<Isa, bool>& caps() const { return caps_; }

 private:
  bool Runs(Isa isa) { return caps_[isa] = DetectIsa(isa) == isa; }
  void Add(const Case& c, const Graph& graph, const Variant& variant,
           KernelSite site) {
    std::string heading = c.network + (c.zeros > 0 ? " sparse " : " ") +
                          std::string(PrecisionName(site.precision)) + " " +
                          std::string(IsaName(site.isa));
    if (variant.apply) {
      heading += " " + variant.name;
      variant.apply(graph, &site);
    }
    lists_[heading] = ListChoices(graph, site);
  }

  std::map<std::string, std::string> lists_;
  std::map<Isa, bool> caps_;
};

Choices AllChoices() {
  const std::vector<Precision> all = {Precision::kFloat32, Precision::kBFloat16,
                                      Precision::kInt8};
  Choices choices;
  choices.Add({"resnet50", 0, all});
  choices.Add({"mobilenetv2", 0, all});
  choices.Add({"encoder-L1-H384", 0, all});
  choices.Add({"encoder-L1-H384", 0.95, all});
  choices.Add({"cnn-D3-W64", 0.95, all});
  // In bf16 nothing but shapes has a say.
  const std::vector<Precision> chosen = {Precision::kFloat32, Precision::kInt8};
  choices.AddVariants({"cnn-D3-W64", 0.95, chosen});
  choices.AddVariants({"cnn-D3-W64", 0, chosen});
  choices.AddVariants({"mobilenetv2/tiny", 0, {Precision::kFloat32}});
  choices.AddVariants({"encoder-L1-H64", 0.95, {Precision::kFloat32}});
  return choices;
}

// The lists of the file, by heading.
std::map<std::string, std::string> ReadLists(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, std::string> lists;
  std::string heading;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("  ")) {
      lists[heading] += line + "\n";
    } else {
      lists[heading = line];
    }
  }
  return lists;
}

TEST(KernelChoices, AreThoseOfTheCommittedList) {
  const Choices choices = AllChoices();
  int ran = 0;
  for (const auto& [isa, runs] : choices.caps()) ran += runs;
  std::cout << "ran " << ran << " of " << choices.caps().size()
            << " instruction sets\n";
  if (std::getenv("STINT_WRITE_CHOICES") != nullptr) {
    std::ofstream(STINT_CHOICES) << choices.Text();
    GTEST_SKIP() << "wrote " << STINT_CHOICES;
  }
  auto expected = ReadLists(STINT_CHOICES);
  for (const auto& [heading, list] : choices.lists()) {
    ASSERT_TRUE(expected.count(heading)) << heading;
    EXPECT_EQ(list, expected[heading]) << heading;
    expected.erase(heading);
  }
  // What is in the file alone is of instruction sets that are not here.
  if (ran == static_cast<int>(choices.caps().size())) {
    EXPECT_TRUE(expected.empty()) << expected.begin()->first;
  } else {
    GTEST_SKIP() << choices.caps().size() - ran
                 << " instruction sets are not here; the others choose as "
                    "listed";
  }
}

}  // namespace
}  // namespace stint
