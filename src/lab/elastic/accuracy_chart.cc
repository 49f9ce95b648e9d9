#include "lab/elastic/accuracy_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "core/base/svg.h"
#include "core/platform/file.h"

namespace stint {
namespace {

constexpr double kLeft = 64, kTop = 34, kLegendWidth = 150;
constexpr double kPanelWidth = 190, kPanelHeight = 130;
constexpr double kColumnGap = 16;
// Above a row of panels: its title and those of the panels; below: ticks.
constexpr double kRowHead = 40, kRowFoot = 26;
constexpr double kLegendLine = 18;
constexpr double kInset = 16;  // from a panel's side to its first curve point

constexpr char kCss[] =
    ".grid{stroke:#e4e4e4}.frame{fill:none;stroke:#999}"
    ".tick{fill:#555;font-size:11px}.title{font-weight:bold}"
    ".panel{text-anchor:middle}.note{fill:#999;text-anchor:middle}";

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

// Values of an axis in the order of the rows.
std::vector<std::string> Values(const std::vector<ElasticRow>& rows,
                                std::string (*value)(const ElasticRow&)) {
  std::vector<std::string> values;
  for (const ElasticRow& row : rows) {
    const std::string text = value(row);
    if (std::find(values.begin(), values.end(), text) == values.end()) {
      values.push_back(text);
    }
  }
  return values;
}

std::string LatencyOf(const ElasticRow& row) {
  return ValueOf(row.condition, "latency");
}
std::string MemoryOf(const ElasticRow& row) {
  return ValueOf(row.condition, "memory");
}
std::string PolicyOf(const ElasticRow& row) { return row.policy; }
std::string PlaceOf(const ElasticRow& row) {
  return BaseName(ValueOf(row.condition, "model")) + ", storage " +
         ValueOf(row.condition, "storage") + ", compute " +
         ValueOf(row.condition, "compute");
}

// Ours is wide and beneath the others, so that equal curves stay visible. Of a
// family of policies, more bits are darker.
std::string StyleOf(const std::string& policy) {
  if (policy == kOurPolicy) return "stroke=\"#f2a0a0\" stroke-width=\"6\"";
  if (policy == "sti") return "stroke=\"#e07b00\" stroke-width=\"1.6\"";
  const size_t colon = policy.find(':');
  const std::string kind = policy.substr(0, colon);
  const int bits =
      colon == std::string::npos ? 8 : std::atoi(policy.c_str() + colon + 1);
  const int light = 78 - 7 * std::clamp(bits, 2, 8);
  const int hue = kind == "pipeline" ? 215 : kind == "resident" ? 130 : 285;
  const int saturation = kind == "load-then-run" ? 0 : 65;
  char text[128];
  std::snprintf(text, sizeof(text),
                "stroke=\"hsl(%d,%d%%,%d%%)\" stroke-width=\"1.6\"%s", hue,
                saturation, light,
                kind == "resident" ? " stroke-dasharray=\"5 3\"" : "");
  return text;
}

class Chart {
 public:
  explicit Chart(const ElasticReport& report)
      : report_(report),
        places_(Values(report.rows, PlaceOf)),
        memories_(Values(report.rows, MemoryOf)),
        latencies_(Values(report.rows, LatencyOf)),
        policies_(Values(report.rows, PolicyOf)),
        picture_(Width(), Height(), kCss) {
    // Ours beneath all others.
    std::stable_partition(
        policies_.begin(), policies_.end(),
        [](const std::string& policy) { return policy == kOurPolicy; });
    ChooseScale();
  }

  std::string Draw() {
    picture_.Text({kLeft, 20},
                  (report_.metric.empty() ? "value" : report_.metric) +
                      " against latency budget, by memory budget",
                  "class=\"title\" font-size=\"14\"");
    for (size_t p = 0; p < places_.size(); ++p) DrawPlace(p);
    DrawLegend();
    return picture_.ToString();
  }

 private:
  double PanelsWidth() const {
    return static_cast<double>(memories_.size()) * (kPanelWidth + kColumnGap);
  }
  double Width() const { return kLeft + PanelsWidth() + kLegendWidth; }
  double Height() const {
    const double panels = static_cast<double>(places_.size()) *
                          (kRowHead + kPanelHeight + kRowFoot);
    const double legend =
        static_cast<double>(policies_.size() + 2) * kLegendLine;
    return kTop + std::max(panels, legend) + 20;
  }

  // Whole steps around what was reached.
  void ChooseScale() {
    double low = std::numeric_limits<double>::max(), high = -low;
    for (const ElasticRow& row : report_.rows) {
      const auto value = row.Figure("value");
      if (!row.ok() || !value) continue;
      low = std::min(low, *value);
      high = std::max(high, *value);
    }
    if (low > high) low = 0, high = 1;
    // 0.01, 0.02, 0.05, 0.1 ...
    step_ = 0.01;
    for (int i = 0; (high - low) / step_ > 5; ++i)
      step_ *= i % 3 == 1 ? 2.5 : 2;
    low_ = (std::ceil(low / step_ - 1e-9) - 1) * step_;
    high_ = (std::floor(high / step_ + 1e-9) + 1) * step_;
  }

  double X(size_t latency) const {
    const double steps =
        std::max<double>(1, static_cast<double>(latencies_.size()) - 1);
    return kInset +
           (kPanelWidth - 2 * kInset) * static_cast<double>(latency) / steps;
  }
  double Y(double value) const {
    return kPanelHeight * (high_ - value) / (high_ - low_);
  }

  void DrawPlace(size_t place) {
    const double top = kTop + static_cast<double>(place) *
                                  (kRowHead + kPanelHeight + kRowFoot);
    picture_.Text({kLeft, top + 16}, places_[place], "class=\"title\"");
    for (size_t m = 0; m < memories_.size(); ++m) {
      const SvgPoint corner{
          kLeft + static_cast<double>(m) * (kPanelWidth + kColumnGap),
          top + kRowHead};
      DrawFrame(corner, m == 0);
      picture_.Text({corner.x + kPanelWidth / 2, corner.y - 6}, memories_[m],
                    "class=\"panel\"");
      DrawCurves(corner, places_[place], memories_[m]);
    }
  }

  void DrawFrame(SvgPoint corner, bool first) {
    const auto ticks = std::lround((high_ - low_) / step_);
    for (long t = 0; t <= ticks; ++t) {
      const double value = low_ + static_cast<double>(t) * step_;
      const double y = corner.y + Y(value);
      picture_.Line({corner.x, y}, {corner.x + kPanelWidth, y},
                    "class=\"grid\"");
      if (!first) continue;
      picture_.Text({corner.x - 6, y + 4}, Format("%.2f", value),
                    "class=\"tick\" text-anchor=\"end\"");
    }
    for (size_t i = 0; i < latencies_.size(); ++i) {
      picture_.Text({corner.x + X(i), corner.y + kPanelHeight + 15},
                    latencies_[i], "class=\"tick\" text-anchor=\"middle\"");
    }
    picture_.Box({corner.x, corner.y, kPanelWidth, kPanelHeight},
                 "class=\"frame\"");
  }

  void DrawCurves(SvgPoint corner, const std::string& place,
                  const std::string& memory) {
    bool any = false;
    for (const std::string& policy : policies_) {
      std::vector<SvgPoint> points;
      std::vector<std::string> hints;
      for (const ElasticRow& row : report_.rows) {
        const auto value = row.Figure("value");
        if (row.policy != policy || !row.ok() || !value ||
            MemoryOf(row) != memory || PlaceOf(row) != place) {
          continue;
        }
        const auto latency =
            std::find(latencies_.begin(), latencies_.end(), LatencyOf(row));
        points.push_back(
            {corner.x + X(static_cast<size_t>(latency - latencies_.begin())),
             corner.y + Y(*value)});
        hints.push_back(policy + ", " + *latency + ": " +
                        Format("%.4f", *value));
      }
      any = any || !points.empty();
      if (!points.empty()) DrawCurve(points, hints, policy);
    }
    if (!any) {
      picture_.Text(
          {corner.x + kPanelWidth / 2, corner.y + kPanelHeight / 2 + 4},
          "nothing fits", "class=\"note\"");
    }
  }

  void DrawCurve(const std::vector<SvgPoint>& points,
                 const std::vector<std::string>& hints,
                 const std::string& policy) {
    const std::string style = StyleOf(policy);
    picture_.Polyline(points, style + " stroke-linecap=\"round\"");
    const bool ours = policy == kOurPolicy;
    for (size_t i = 0; i < points.size(); ++i) {
      picture_.Circle(points[i], ours ? 5 : 2.5,
                      ours ? "fill=\"#f2a0a0\"" : "fill=\"#fff\" " + style,
                      hints[i]);
    }
  }

  void DrawLegend() {
    const double x = kLeft + PanelsWidth() + 4;
    double y = kTop + kRowHead;
    for (const std::string& policy : policies_) {
      picture_.Line({x, y}, {x + 28, y}, StyleOf(policy));
      picture_.Text({x + 36, y + 4}, policy, "");
      y += kLegendLine;
    }
  }

  const ElasticReport& report_;
  std::vector<std::string> places_, memories_, latencies_, policies_;
  SvgPicture picture_;
  double low_ = 0, high_ = 1, step_ = 0.1;
};

}  // namespace

std::string AccuracyChart(const ElasticReport& report) {
  return Chart(report).Draw();
}

}  // namespace stint
