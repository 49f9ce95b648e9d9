#include "core/base/svg.h"

#include <gtest/gtest.h>

#include <vector>

namespace stint {
namespace {

TEST(SvgPicture, TextsAreEscaped) {
  SvgPicture picture(10, 10, "");
  picture.Text({1, 2}, "a < b & \"c\"", "");
  EXPECT_NE(picture.ToString().find(">a &lt; b &amp; &quot;c&quot;</text>"),
            std::string::npos);
}

TEST(SvgPicture, ShapesStandInTheOrderDrawn) {
  SvgPicture picture(20, 10, ".a{fill:red}");
  picture.Box({1, 2, 3, 4}, "class=\"a\"", "hint");
  picture.Polyline(std::vector<SvgPoint>{{0, 1}, {2, 3.5}}, "stroke=\"red\"");
  EXPECT_EQ(picture.ToString(),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" "
            "height=\"10\" viewBox=\"0 0 20 10\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<style>.a{fill:red}</style>\n"
            "<rect x=\"0.00\" y=\"0.00\" width=\"20.00\" height=\"10.00\" "
            "fill=\"#fff\"/>\n"
            "<rect x=\"1.00\" y=\"2.00\" width=\"3.00\" height=\"4.00\" "
            "class=\"a\"><title>hint</title></rect>\n"
            "<polyline fill=\"none\" points=\"0.00,1.00 2.00,3.50 \" "
            "stroke=\"red\"/>\n</svg>\n");
}

}  // namespace
}  // namespace stint
