#include "core/base/svg.h"

#include <cstdarg>
#include <cstdio>

namespace stint {

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

SvgPicture::SvgPicture(double width, double height, std::string_view css) {
  Append(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
      "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<style>",
      width, height, width, height);
  body_ += css;
  body_ += "</style>\n";
  Box({0, 0, width, height}, "fill=\"#fff\"");
}

void SvgPicture::Append(const char* format, ...) {
  char text[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  body_ += text;
}

void SvgPicture::Close(std::string_view element, std::string_view hint) {
  if (hint.empty()) {
    body_ += "/>\n";
    return;
  }
  body_ += "><title>" + EscapeXml(hint) + "</title></";
  body_ += element;
  body_ += ">\n";
}

void SvgPicture::Box(const SvgBox& box, std::string_view style,
                     std::string_view hint) {
  Append("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" ", box.x,
         box.y, box.width, box.height);
  body_ += style;
  Close("rect", hint);
}

void SvgPicture::Line(SvgPoint from, SvgPoint to, std::string_view style) {
  Append("<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" ", from.x,
         from.y, to.x, to.y);
  body_ += style;
  body_ += "/>\n";
}

void SvgPicture::Polyline(std::span<const SvgPoint> points,
                          std::string_view style) {
  body_ += "<polyline fill=\"none\" points=\"";
  for (const SvgPoint& point : points) Append("%.2f,%.2f ", point.x, point.y);
  body_ += "\" ";
  body_ += style;
  body_ += "/>\n";
}

void SvgPicture::Circle(SvgPoint center, double radius, std::string_view style,
                        std::string_view hint) {
  Append("<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" ", center.x, center.y,
         radius);
  body_ += style;
  Close("circle", hint);
}

void SvgPicture::Text(SvgPoint place, std::string_view text,
                      std::string_view style) {
  Append("<text x=\"%.2f\" y=\"%.2f\" ", place.x, place.y);
  body_ += style;
  body_ += ">" + EscapeXml(text) + "</text>\n";
}

}  // namespace stint
