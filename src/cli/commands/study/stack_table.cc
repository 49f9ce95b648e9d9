#include "cli/commands/study/stack_table.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <filesystem>

#include "lab/stack/contest.h"

namespace stint::cli {
namespace {

void AppendLine(std::string* text, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void AppendLine(std::string* text, const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  *text += line;
  *text += '\n';
}

std::string NameOf(const std::string& model) {
  return std::filesystem::path(model).stem().string();
}

Json SettingJson(const Setting& setting) {
  Json json = Json::object();
  for (const auto& [axis, value] : setting) json[axis] = value;
  return json;
}

Json RowJson(const StackRow& row) {
  Json json = SettingJson(row.setting);
  json["status"] = row.status;
  json["reason"] = row.reason;
  json["alike"] = row.alike;
  for (const auto& [name, value] : row.figures) {
    if (!name.starts_with(kLayerPrefix)) json[name] = value;
  }
  return json;
}

// A figure in a column of `width`, "-" where the row has none.
std::string Cell(const StackRow& row, const char* name, int width,
                 std::string (*format)(double)) {
  const auto value = row.Figure(name);
  std::string text = value ? format(*value) : "-";
  if (text.size() < static_cast<size_t>(width)) {
    text.insert(0, static_cast<size_t>(width) - text.size(), ' ');
  }
  return text;
}

template <int kDigits>
std::string Digits(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f", kDigits, value);
  return text;
}

std::string Bytes(double value) {
  return FormatBytes(static_cast<int64_t>(value));
}

// What the row has, or why it has nothing.
std::string FiguresText(const StackRow& row) {
  if (!row.HasAnswers()) return row.status + ": " + row.reason;
  std::string text = Cell(row, "value", 8, Digits<4>) + " " +
                     Cell(row, kTimeFigure, 9, Digits<3>) + " " +
                     Cell(row, "model_bytes", 9, Bytes) + " " +
                     Cell(row, "peak_rss_bytes", 9, Bytes);
  if (!row.ok()) text += " " + row.status;
  if (!row.alike.empty()) text += " alike: " + row.alike;
  return text;
}

void AppendRows(const StackReport& report, std::string* text) {
  AppendLine(text, "  %-24s %-15s %-20s %-14s %-8s %8s %9s %9s %9s", "model",
             "compute", "compression", "primitive", "code", "value", "time ms",
             "file", "memory");
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const StackRow& row = report.rows[i];
    const bool front =
        std::count(report.pareto.begin(), report.pareto.end(), i) > 0;
    AppendLine(text, "%s %-24s %-15s %-20s %-14s %-8s %s", front ? "*" : " ",
               NameOf(row.Value("model")).c_str(), row.Value("compute").c_str(),
               row.Value("compression").c_str(), row.Value("primitive").c_str(),
               row.Value("code").c_str(), FiguresText(row).c_str());
  }
  AppendLine(text, "* beaten by none in value and time together");
}

std::string FixedText(const Setting& fixed) {
  std::string text;
  for (const auto& [axis, value] : fixed) {
    text +=
        (text.empty() ? "" : ", ") + (axis == "model" ? NameOf(value) : value);
  }
  return text;
}

Json EstimateJson(const Estimate& estimate) {
  return {estimate.value, estimate.KnownLow() ? Json(estimate.low) : Json(),
          estimate.KnownHigh() ? Json(estimate.high) : Json()};
}

void AppendFlips(const StackReport& report, std::string* text) {
  for (const StackFlip& flip : report.flips) {
    const auto name = [&](const std::string& value) {
      return flip.other == "model" ? NameOf(value) : value;
    };
    AppendLine(text, "flip: fastest %s (%s): %s at %s (%s), %s at %s (%s)",
               flip.axis.c_str(), FixedText(flip.fixed).c_str(),
               flip.winner_from.c_str(), name(flip.from).c_str(),
               EstimateText(flip.lead_from, "%.2f").c_str(),
               flip.winner_to.c_str(), name(flip.to).c_str(),
               EstimateText(flip.lead_to, "%.2f").c_str());
  }
  AppendLine(
      text,
      "%zu flips; %lld contests: %lld won by more than %.0f %%, %lld "
      "tied, %lld undecided at this noise after %d rounds of timing",
      report.flips.size(), static_cast<long long>(report.contests),
      static_cast<long long>(report.contests - report.ties - report.undecided),
      100 * (kClearLead - 1), static_cast<long long>(report.ties),
      static_cast<long long>(report.undecided), report.timing_rounds);
}

void AppendSpeedups(const StackReport& report, std::string* text) {
  for (const StackSpeedup& s : report.speedups) {
    AppendLine(text,
               "%-24s %-15s %-20s %5.2fx fewer weights, %s as fast%s, "
               "value %+.4f",
               NameOf(s.model).c_str(), s.compute.c_str(),
               s.compression.c_str(), s.expected,
               EstimateText(s.achieved, "%.2f").c_str(),
               s.slower_than_before() ? " (slower)" : "", s.accuracy_change);
    for (const SlowerLayer& layer : s.slower) {
      AppendLine(text, "%-24s   loses in %s", "", SlowerText(layer).c_str());
    }
  }
}

Json SlowerJson(const StackSpeedup& speedup) {
  Json layers = Json::array();
  for (const SlowerLayer& layer : speedup.slower) {
    layers.push_back({{"layer", layer.name},
                      {"before_us", layer.before_us},
                      {"after_us", layer.after_us},
                      {"kernel_before", layer.kernel_before},
                      {"kernel_after", layer.kernel_after}});
  }
  return layers;
}

}  // namespace

Json StackJson(const StackReport& report) {
  Json json = {{"points", report.count.points},
               {"done", report.count.done},
               {"failed", report.count.failed},
               {"evaluated", report.evaluated},
               {"taken_over", report.taken_over},
               {"rows", Json::array()},
               {"pareto", report.pareto},
               {"flips", Json::array()},
               {"speedups", Json::array()},
               {"correlations", Json::array()},
               {"devices", report.devices},
               {"contests", report.contests},
               {"ties", report.ties},
               {"undecided", report.undecided},
               {"timing_rounds", report.timing_rounds},
               {"failed_timings", report.failed_timings},
               {"programs", report.programs}};
  for (const StackRow& row : report.rows) json["rows"].push_back(RowJson(row));
  for (const StackFlip& flip : report.flips) {
    json["flips"].push_back({{"axis", flip.axis},
                             {"other", flip.other},
                             {"fixed", SettingJson(flip.fixed)},
                             {"from", flip.from},
                             {"winner_from", flip.winner_from},
                             {"to", flip.to},
                             {"winner_to", flip.winner_to},
                             {"lead_from", EstimateJson(flip.lead_from)},
                             {"lead_to", EstimateJson(flip.lead_to)}});
  }
  for (const StackSpeedup& s : report.speedups) {
    json["speedups"].push_back({{"model", s.model},
                                {"compute", s.compute},
                                {"compression", s.compression},
                                {"expected", s.expected},
                                {"achieved", s.achieved.value},
                                {"achieved_interval", EstimateJson(s.achieved)},
                                {"accuracy_change", s.accuracy_change},
                                {"slower", SlowerJson(s)}});
  }
  for (const StackCorrelation& c : report.correlations) {
    json["correlations"].push_back(
        {{"compute", c.compute}, {"a", c.a}, {"b", c.b}, {"rho", c.rho}});
  }
  return json;
}

std::string StackTable(const StackReport& report) {
  std::string text;
  AppendRows(report, &text);
  for (const auto& [compute, device] : report.devices) {
    AppendLine(&text, "%s is %s", compute.c_str(), device.c_str());
  }
  AppendSpeedups(report, &text);
  AppendFlips(report, &text);
  for (const StackCorrelation& c : report.correlations) {
    AppendLine(&text, "%s: %s %+.2f", c.compute.c_str(), c.Title().c_str(),
               c.rho);
  }
  AppendLine(
      &text,
      "%lld of %lld points, %lld failed; %lld evaluated, %lld taken over "
      "from points that run alike",
      static_cast<long long>(report.count.done),
      static_cast<long long>(report.count.points),
      static_cast<long long>(report.count.failed),
      static_cast<long long>(report.evaluated),
      static_cast<long long>(report.taken_over));
  return text;
}

}  // namespace stint::cli
