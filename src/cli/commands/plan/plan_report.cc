#include <algorithm>
#include <cstdio>
#include <sstream>

#include "cli/commands/plan/plan_parts.h"
#include "cli/options/budget_options.h"
#include "lab/record/plan_record.h"

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

Table MemoryTable(const PlanReport& plan) {
  Table table;
  table.columns = {"name", "bytes"};
  for (const MemoryItem& item : plan.memory) {
    table.rows.push_back({item.name, item.bytes});
  }
  return table;
}

namespace {

Table LayersTable(const PlanReport& plan) {
  Table table;
  table.columns = {"layer",        "bits",     "pinned_bytes",
                   "stream_bytes", "slack_ms", "r read, # computed"};
  for (const PlannedLayer& layer : plan.plan) {
    const std::optional<double> slack =
        layer.stream_bytes > 0
            ? std::optional(layer.compute_begin_ms - layer.read_end_ms)
            : std::nullopt;
    table.rows.push_back({layer.name, BitsCell(layer.bits), layer.pinned_bytes,
                          layer.stream_bytes, slack,
                          Bar(layer, plan.predicted_ms)});
  }
  return table;
}

void AddLines(const std::string& text, std::vector<std::string>* lines) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines->push_back(line);
}

}  // namespace

ReportSection PlanSection(const PlanReport& plan,
                          const std::vector<BudgetVariant>& variants) {
  ReportSection section;
  AddLines(PlanLines(plan), &section.findings);
  char line[256];
  std::snprintf(line, sizeof(line),
                "process without weights %s; storage could deliver %.1f bits "
                "per weight while layers compute: %s",
                FormatBytes(plan.fixed_bytes).c_str(), plan.hidden_bits,
                RegimeOf(plan).c_str());
  section.findings.emplace_back(line);
  if (!plan.io_uring) {
    section.findings.push_back("reads by pread: " + plan.io_note);
  }
  section.figures = {{"", "", {}, LayersTable(plan)},
                     {"what a little more or less would buy",
                      "",
                      {},
                      VariantsTable(variants)}};
  return section;
}

void AddMemory(const PlanReport& plan, ReportSection* section) {
  if (plan.memory.empty()) {
    section->findings.emplace_back(
        "memory besides weights was not measured: it is for plans within a "
        "budget that are made here, not saved ones");
    return;
  }
  section->figures.push_back(
      {"memory besides weights, " + FormatBytes(plan.fixed_bytes),
       "",
       {},
       MemoryTable(plan)});
}

}  // namespace stint::cli
