#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/commands/plan/plan_parts.h"
#include "cli/options/run_options.h"
#include "core/base/svg.h"

namespace stint::cli {
namespace {

constexpr double kWidth = 960, kHeight = 268;
constexpr double kLeft = 84, kRight = 24;
constexpr double kStorageTop = 72, kComputeTop = 152, kLaneHeight = 34;
constexpr double kAxisTop = 204;
constexpr double kLetterWidth = 7;
constexpr double kTickRoom = 14;
// Less slack than this share of a run is waiting.
constexpr double kWaitShare = 0.002;

constexpr char kCss[] =
    ".read{fill:#9fc5e8;stroke:#fff}.compute{fill:#b6d7a8;stroke:#fff}"
    ".label{text-anchor:middle}.small{fill:#555;font-size:11px}"
    ".lane{text-anchor:end;font-weight:bold}.slack{stroke:#888}"
    ".wait{stroke:#d62728;stroke-width:2}.axis{stroke:#999}"
    ".limit{stroke:#d62728;stroke-dasharray:4 3}"
    ".end{stroke:#333;stroke-dasharray:4 3}";

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

// A step of 1, 2 or 5 times a power of ten with at most ten ticks.
double TickStep(double end_ms) {
  double step = std::pow(10, std::floor(std::log10(end_ms / 10)));
  for (double factor : {1, 2, 5, 10}) {
    if (end_ms / (step * factor) <= 10) return step * factor;
  }
  return end_ms;
}

class Timeline {
 public:
  Timeline(const PlanReport& plan, double latency_ms)
      : plan_(plan), latency_ms_(latency_ms), picture_(kWidth, kHeight, kCss) {
    end_ms_ = std::max(plan.predicted_ms, latency_ms);
    for (const PlannedLayer& layer : plan.plan) {
      end_ms_ = std::max({end_ms_, layer.read_end_ms, layer.compute_end_ms});
    }
    end_ms_ = std::max(end_ms_, 1e-3);
  }

  std::string Draw() {
    picture_.Text({kLeft, 24}, Title(), "font-weight=\"bold\"");
    picture_.Text({kLeft, 44},
                  "boxes: bits per weight; between them a layer's slack, red "
                  "where it is waited for; pinned weights need no reading",
                  "class=\"small\"");
    picture_.Text({kLeft - 10, kStorageTop + 22}, "storage", "class=\"lane\"");
    picture_.Text({kLeft - 10, kComputeTop + 22}, "compute", "class=\"lane\"");
    DrawAxis();
    for (const PlannedLayer& layer : plan_.plan) DrawLayer(layer);
    DrawLimits();
    return picture_.ToString();
  }

 private:
  std::string Title() const {
    return plan_.policy + ": " + Format("%.2f bits", plan_.mean_bits) +
           ", predicted " + FormatMs(plan_.predicted_ms) + ", peak memory " +
           FormatBytes(plan_.predicted_peak_bytes) + ", " +
           FormatBytes(plan_.preload_bytes) + " pinned, " +
           FormatBytes(plan_.stream_bytes) + " streamed through " +
           FormatBytes(plan_.ring_bytes);
  }

  double X(double ms) const {
    return kLeft + (kWidth - kLeft - kRight) * ms / end_ms_;
  }

  // The lines of limits go through the ticks' labels and say their times.
  bool NearLimit(double ms) const {
    return std::abs(X(ms) - X(plan_.predicted_ms)) < kTickRoom ||
           (latency_ms_ > 0 && std::abs(X(ms) - X(latency_ms_)) < kTickRoom);
  }

  void DrawAxis() {
    picture_.Line({X(0), kAxisTop}, {X(end_ms_), kAxisTop}, "class=\"axis\"");
    const double step = TickStep(end_ms_);
    for (double ms = 0; ms <= end_ms_ * (1 + 1e-9); ms += step) {
      picture_.Line({X(ms), kAxisTop}, {X(ms), kAxisTop + 5}, "class=\"axis\"");
      if (NearLimit(ms)) continue;
      picture_.Text({X(ms), kAxisTop + 18}, Format("%g", ms),
                    "class=\"label small\"");
    }
    picture_.Text({kLeft - 10, kAxisTop + 18}, "ms",
                  "class=\"small\" text-anchor=\"end\"");
  }

  void DrawBox(double begin_ms, double end_ms, double top,
               const PlannedLayer& layer) {
    const bool reads = top == kStorageTop;
    const double width = std::max(0.5, X(end_ms) - X(begin_ms));
    const std::string bits = BitsCell(layer.bits);
    const int64_t bytes = reads ? layer.stream_bytes : layer.pinned_bytes;
    picture_.Box({X(begin_ms), top, width, kLaneHeight},
                 reads ? "class=\"read\"" : "class=\"compute\"",
                 layer.name + ": " + bits + " bits, " + FormatBytes(bytes) +
                     (reads ? " read in " : " pinned, computed in ") +
                     FormatMs(end_ms - begin_ms));
    // The longest label that fits.
    for (const std::string& label :
         {bits, Format("%.1f", MeanBitsOf(layer.bits))}) {
      if (static_cast<double>(label.size()) * kLetterWidth > width) continue;
      picture_.Text({X(begin_ms) + width / 2, top + kLaneHeight / 2 + 4}, label,
                    "class=\"label\"");
      return;
    }
  }

  void DrawLayer(const PlannedLayer& layer) {
    DrawBox(layer.compute_begin_ms, layer.compute_end_ms, kComputeTop, layer);
    if (layer.stream_bytes == 0) return;
    DrawBox(layer.read_begin_ms, layer.read_end_ms, kStorageTop, layer);
    const double slack = layer.compute_begin_ms - layer.read_end_ms;
    picture_.Line(
        {X(layer.read_end_ms), kStorageTop + kLaneHeight},
        {X(layer.compute_begin_ms), kComputeTop},
        slack < kWaitShare * end_ms_ ? "class=\"wait\"" : "class=\"slack\"");
  }

  // The labels stand on two lines, so that they cannot meet.
  void DrawLimits() {
    DrawLimit(plan_.predicted_ms, "predicted " + FormatMs(plan_.predicted_ms),
              "class=\"end\"", kAxisTop + 36);
    if (latency_ms_ > 0) {
      DrawLimit(latency_ms_, "budget " + FormatMs(latency_ms_),
                "class=\"limit\"", kAxisTop + 54);
    }
  }

  void DrawLimit(double ms, const std::string& label, const char* style,
                 double label_y) {
    picture_.Line({X(ms), kStorageTop - 10}, {X(ms), label_y - 12}, style);
    picture_.Text({X(ms), label_y}, label,
                  "class=\"small\" text-anchor=\"end\"");
  }

  const PlanReport& plan_;
  double latency_ms_;
  double end_ms_ = 0;
  SvgPicture picture_;
};

}  // namespace

std::string PlanPicture(const PlanReport& plan, double latency_ms) {
  return Timeline(plan, latency_ms).Draw();
}

}  // namespace stint::cli
