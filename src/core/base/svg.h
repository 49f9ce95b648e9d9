#pragma once
// Pictures as SVG text: boxes, lines and labels at places that the caller has
// computed. Lengths are in pixels, y grows downward.

#include <span>
#include <string>
#include <string_view>

namespace stint {

struct SvgPoint {
  double x = 0;
  double y = 0;
};

struct SvgBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

// `style` is attributes as they stand in the file, such as `class="axis"` or
// `fill="#c33"`; texts are escaped.
class SvgPicture {
 public:
  // `css` applies to classes; the background is white.
  SvgPicture(double width, double height, std::string_view css);

  // `hint` is shown under the mouse; empty: none.
  void Box(const SvgBox& box, std::string_view style,
           std::string_view hint = "");
  void Line(SvgPoint from, SvgPoint to, std::string_view style);
  // One point is allowed: it shows nothing, but stands for its curve.
  void Polyline(std::span<const SvgPoint> points, std::string_view style);
  void Circle(SvgPoint center, double radius, std::string_view style,
              std::string_view hint = "");
  void Text(SvgPoint place, std::string_view text, std::string_view style);

  std::string ToString() const { return body_ + "</svg>\n"; }

 private:
  void Append(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void Close(std::string_view element, std::string_view hint);

  std::string body_;
};

// & < > and quotes as entities.
std::string EscapeXml(std::string_view text);

}  // namespace stint
