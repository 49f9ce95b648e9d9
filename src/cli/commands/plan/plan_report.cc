#include "cli/commands/plan/plan_report.h"

#include <algorithm>
#include <cstdio>

#include "cli/options/budget_options.h"

namespace stint::cli {
namespace {

constexpr int kColumns = 48;

// A line of the timeline: r while the layer is read, # while it computes, both
// at once as #.
std::string Bar(const PlannedLayer& layer, double end_ms) {
  std::string bar(kColumns, '.');
  const auto column = [&](double ms) {
    return std::clamp(static_cast<int>(ms / end_ms * kColumns), 0,
                      kColumns - 1);
  };
  const auto fill = [&](double begin, double end, char c) {
    for (int i = column(begin); i <= column(end); ++i) {
      bar[static_cast<size_t>(i)] = c;
    }
  };
  if (layer.stream_bytes > 0) fill(layer.read_begin_ms, layer.read_end_ms, 'r');
  fill(layer.compute_begin_ms, layer.compute_end_ms, '#');
  return bar;
}

}  // namespace

double MeanBitsOf(const std::vector<int>& bits) {
  double sum = 0;
  for (int b : bits) sum += b;
  return bits.empty() ? 0 : sum / static_cast<double>(bits.size());
}

std::string BitsCell(const std::vector<int>& bits) {
  if (bits.empty()) return "-";
  const auto [least, most] = std::minmax_element(bits.begin(), bits.end());
  if (*least == *most) return std::to_string(*least);
  char text[48];
  std::snprintf(text, sizeof(text), "%d-%d (%.1f)", *least, *most,
                MeanBitsOf(bits));
  return text;
}

std::string PlanTable(const PlanReport& plan) {
  std::string text = PlanLines(plan);
  char line[256];
  std::snprintf(line, sizeof(line),
                "process without weights %s; storage could deliver %.1f bits "
                "per weight while layers compute: %s\n",
                FormatBytes(plan.fixed_bytes).c_str(), plan.hidden_bits,
                RegimeOf(plan).c_str());
  text += line;
  if (!plan.io_uring) text += "reads by pread: " + plan.io_note + "\n";
  std::snprintf(line, sizeof(line), "%-24s %-12s %9s %9s %8s  %s\n", "layer",
                "bits", "pinned", "streamed", "slack", "r read, # computed");
  text += line;
  for (const PlannedLayer& layer : plan.plan) {
    const double slack = layer.compute_begin_ms - layer.read_end_ms;
    std::snprintf(line, sizeof(line), "%-24.24s %-12s %9s %9s %8s  %s\n",
                  layer.name.c_str(), BitsCell(layer.bits).c_str(),
                  FormatBytes(layer.pinned_bytes).c_str(),
                  FormatBytes(layer.stream_bytes).c_str(),
                  layer.stream_bytes > 0 ? FormatMs(slack).c_str() : "-",
                  Bar(layer, plan.predicted_ms).c_str());
    text += line;
  }
  return text;
}

Json MemoryJson(const PlanReport& plan) {
  Json items = Json::array();
  for (const MemoryItem& item : plan.memory) {
    items.push_back({{"name", item.name}, {"bytes", item.bytes}});
  }
  return items;
}

std::string MemoryTable(const PlanReport& plan) {
  if (plan.memory.empty()) {
    return "memory besides weights was not measured: it is for plans within a "
           "budget that are made here, not saved ones\n";
  }
  std::string text;
  char line[128];
  const auto add = [&](const char* name, int64_t bytes) {
    std::snprintf(line, sizeof(line), "%-32s %6lld kB\n", name,
                  static_cast<long long>(bytes / 1024));
    text += line;
  };
  add("memory besides weights", plan.fixed_bytes);
  for (const MemoryItem& item : plan.memory) {
    add(("  " + item.name).c_str(), item.bytes);
  }
  return text;
}

}  // namespace stint::cli
