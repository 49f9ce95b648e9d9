#include "convert/data/image/image_folder.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

#include "convert/data/image/resize.h"

namespace stint {
namespace {

// A folder that is removed at the end of the test.
class ImageFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "/stint_image_folder_" + info->name();
    std::filesystem::remove_all(folder_);
    ASSERT_TRUE(MakeDirectories(folder_).ok());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void CopyPicture(const std::string& fixture, const std::string& name) {
    const std::string from =
        std::string(STINT_TEST_FIXTURES) + "/image/" + fixture;
    std::filesystem::copy_file(from, JoinPath(folder_, name));
  }

  std::string folder_;
};

TEST_F(ImageFolderTest, ReadsClassesFromNamesInOrder) {
  CopyPicture("rgb.png", "012_b.png");
  CopyPicture("gray.jpg", "003_a.jpg");
  ASSERT_TRUE(WriteFileAtomically(JoinPath(folder_, "notes.txt"), "x").ok());
  const ImageFolder folder = ImageFolder::Open(folder_).value();
  ASSERT_EQ(folder.size(), 2u);
  EXPECT_EQ(folder.label(0), 3);
  EXPECT_EQ(folder.label(1), 12);
  EXPECT_EQ(folder.name(1), "012_b.png");
  EXPECT_EQ(folder.Decode(1)->width, 29);
}

TEST_F(ImageFolderTest, RefusesPicturesWithoutClass) {
  CopyPicture("rgb.png", "cat.png");
  const Status status = ImageFolder::Open(folder_).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("cat.png"), std::string::npos);
}

TEST_F(ImageFolderTest, RefusesFoldersWithoutPictures) {
  EXPECT_FALSE(ImageFolder::Open(folder_).ok());
  EXPECT_EQ(ImageFolder::Open("/no/such/folder").status().code(),
            StatusCode::kNotFound);
}

TEST_F(ImageFolderTest, DecodingErrorsNameThePicture) {
  ASSERT_TRUE(WriteFileAtomically(JoinPath(folder_, "1_x.jpg"), "x").ok());
  const ImageFolder folder = ImageFolder::Open(folder_).value();
  EXPECT_NE(folder.Decode(0).status().message().find("1_x.jpg"),
            std::string::npos);
}

uint32_t AddPixels(uint32_t checksum, const Image& image) {
  return static_cast<uint32_t>(
      crc32(checksum, image.rgb.data(), static_cast<uInt>(image.rgb.size())));
}

// The checksums are those of PIL's pixels: tests/fixtures/make_images.py TAR.
TEST(ImageFolder, DecodesAndResizesAThousandPicturesAsPilDoes) {
  const std::string path =
      std::string(STINT_TEST_DATA) + "/imagenet-val-1000/val224.tar";
  if (!FileExists(path)) GTEST_SKIP() << "needs " << path;
  const Result<ImageFolder> folder = ImageFolder::Open(path);
  ASSERT_TRUE(folder.ok()) << folder.status().message();
  ASSERT_EQ(folder->size(), 1000u);
  uint32_t decoded = 0;
  uint32_t resized = 0;
  for (size_t i = 0; i < folder->size(); ++i) {
    EXPECT_EQ(folder->label(i), static_cast<int>(i));
    const Result<Image> image = folder->Decode(i);
    ASSERT_TRUE(image.ok()) << image.status().message();
    ASSERT_EQ(image->width, 224);
    ASSERT_EQ(image->height, 224);
    decoded = AddPixels(decoded, *image);
    resized = AddPixels(resized, ResizeBilinear(*image, 176, 176).value());
  }
  EXPECT_EQ(decoded, 0xabf7a2eeu);
  EXPECT_EQ(resized, 0x04c3a292u);
}

}  // namespace
}  // namespace stint
