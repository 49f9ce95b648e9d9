#include "convert/data/image/image.h"

#include <gtest/gtest.h>

#include "convert/data/npy.h"
#include "core/platform/file.h"

namespace stint {
namespace {

std::string Fixture(const std::string& name) {
  return std::string(STINT_TEST_FIXTURES) + "/image/" + name;
}

void ExpectPilPixels(const std::string& name, const std::string& golden) {
  const Result<Image> image = ReadImage(Fixture(name));
  ASSERT_TRUE(image.ok()) << image.status().message();
  const Tensor expected = ReadNpy(Fixture(golden)).value();
  ASSERT_EQ(expected.shape(), (Shape{image->height, image->width, 3}));
  const uint8_t* begin = expected.data<uint8_t>();
  EXPECT_EQ(image->rgb, std::vector<uint8_t>(begin, begin + expected.size()))
      << name;
}

TEST(Image, DecodesJpegToThePixelsOfPil) {
  ExpectPilPixels("chroma_420.jpg", "chroma_420_jpg.npy");
  ExpectPilPixels("chroma_422.jpg", "chroma_422_jpg.npy");
  ExpectPilPixels("progressive.jpg", "progressive_jpg.npy");
  ExpectPilPixels("gray.jpg", "gray_jpg.npy");
}

TEST(Image, DecodesPngToThePixelsOfPil) {
  ExpectPilPixels("rgb.png", "rgb_png.npy");
  ExpectPilPixels("palette.png", "palette_png.npy");
  ExpectPilPixels("gray.png", "gray_png.npy");
  ExpectPilPixels("alpha.png", "alpha_png.npy");
}

TEST(Image, SaysThatCmykIsUnsupported) {
  const Status status = ReadImage(Fixture("cmyk.jpg")).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("cmyk.jpg"), std::string::npos);
}

TEST(Image, RefusesOtherFormats) {
  EXPECT_EQ(DecodeImage("GIF89a").status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(DecodeImage("").status().code(), StatusCode::kUnsupported);
}

// The last two bytes of a JPEG are its end marker, which is not needed.
TEST(Image, EveryTruncationIsAnError) {
  for (const char* name : {"chroma_420.jpg", "progressive.jpg", "rgb.png"}) {
    const std::string bytes = ReadFile(Fixture(name)).value();
    const size_t tail = std::string_view(name).ends_with("jpg") ? 2 : 0;
    for (size_t n = 0; n < bytes.size() - tail; ++n) {
      EXPECT_FALSE(DecodeImage(std::string_view(bytes).substr(0, n)).ok())
          << name << " cut to " << n;
    }
  }
}

TEST(Image, EveryFlippedByteOfAPngIsDamage) {
  std::string bytes = ReadFile(Fixture("palette.png")).value();
  for (size_t i = 4; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(~bytes[i]);
    EXPECT_EQ(DecodeImage(bytes).status().code(), StatusCode::kDamaged) << i;
    bytes[i] = static_cast<char>(~bytes[i]);
  }
}

TEST(Image, SurvivesEveryFlippedByteOfAJpeg) {
  for (const char* name : {"chroma_420.jpg", "progressive.jpg"}) {
    std::string bytes = ReadFile(Fixture(name)).value();
    for (char& byte : bytes) {
      byte = static_cast<char>(~byte);
      const Result<Image> image = DecodeImage(bytes);
      if (image.ok()) {
        EXPECT_EQ(image->rgb.size(), size_t{3} * image->width * image->height);
      }
      byte = static_cast<char>(~byte);
    }
  }
}

TEST(Image, RefusesHugePicturesBeforeAllocating) {
  std::string bytes = ReadFile(Fixture("chroma_420.jpg")).value();
  const size_t frame = bytes.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  for (size_t i = 5; i < 9; ++i) bytes[frame + i] = '\x7f';
  EXPECT_EQ(DecodeImage(bytes).status().code(), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace stint
