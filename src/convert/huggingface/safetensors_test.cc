#include "convert/huggingface/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/platform/file.h"

namespace stint {
namespace {

std::string File(const std::string& header, const std::string& data) {
  std::string file(8, '\0');
  for (int i = 0; i < 8; ++i)
    file[i] = static_cast<char>(header.size() >> 8 * i);
  return file + header + data;
}

// `content` must outlive the result.
Result<Safetensors> Read(const std::string& content) {
  return Safetensors::Read(
      {reinterpret_cast<const uint8_t*>(content.data()), content.size()}, "m",
      nullptr);
}

void ExpectDamaged(const std::string& content, const std::string& message) {
  const auto result = Read(content);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(), message);
  EXPECT_EQ(result.status().code(), StatusCode::kDamaged);
}

std::string Bytes(const std::vector<float>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(float));
}

constexpr char kTwo[] =
    R"({"__metadata__":{"format":"pt"},)"
    R"("b":{"dtype":"U8","shape":[4],"data_offsets":[8,12]},)"
    R"("a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})";

TEST(Safetensors, GivesTensorsByName) {
  const std::string content = File(kTwo, Bytes({1.5f, -2}) + "\1\2\3\4");
  const auto file = Read(content);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->names(), (std::vector<std::string>{"a", "b"}));
  const Tensor a = file->Get("a").value();
  EXPECT_EQ(a.dtype(), DType::kFloat32);
  EXPECT_EQ(a.shape(), (Shape{1, 2}));
  EXPECT_EQ(a.data<float>()[0], 1.5f);
  EXPECT_EQ(a.data<float>()[1], -2);
  EXPECT_EQ(file->Get("b")->data<uint8_t>()[3], 4);
}

TEST(Safetensors, SharesAlignedBytesAndCopiesOthers) {
  const std::string plain = File(kTwo, Bytes({1.5f, -2}) + "\1\2\3\4");
  for (size_t shift = 0; shift < 4; ++shift) {
    std::vector<uint64_t> buffer(plain.size() / 8 + 2);
    auto* bytes = reinterpret_cast<uint8_t*>(buffer.data()) + shift;
    std::memcpy(bytes, plain.data(), plain.size());
    const auto file = Safetensors::Read({bytes, plain.size()}, "m", nullptr);
    const Tensor a = file->Get("a").value();
    const auto* raw = static_cast<const uint8_t*>(a.raw());
    const bool shared = raw >= bytes && raw < bytes + plain.size();
    const uint8_t* stored = bytes + plain.size() - 12;
    EXPECT_EQ(shared, reinterpret_cast<uintptr_t>(stored) % 4 == 0);
    EXPECT_EQ(a.data<float>()[1], -2);
  }
}

TEST(Safetensors, NamesAMissingTensor) {
  const std::string content = File("{}", "");
  const auto tensor = Read(content)->Get("w");
  EXPECT_EQ(tensor.status().code(), StatusCode::kNotFound);
  EXPECT_EQ(tensor.status().message(),
            "m: expected tensor 'w', found none among 0");
}

TEST(Safetensors, ReportsTruncationAtEveryByte) {
  const std::string content = File(kTwo, Bytes({1.5f, -2}) + "\1\2\3\4");
  for (size_t size = 0; size < content.size(); ++size) {
    const std::string cut = content.substr(0, size);
    const auto result = Read(cut);
    ASSERT_FALSE(result.ok()) << size;
    EXPECT_EQ(result.status().code(), StatusCode::kDamaged) << size;
  }
}

TEST(Safetensors, ReportsSizesThatDisagree) {
  ExpectDamaged(
      File(R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})",
           "12345678"),
      "m: tensor 'w': float32[3] needs 3 times 4 bytes, found 8");
  ExpectDamaged(File(R"({"w":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
                     "1234567"),
                "m: tensor 'w': ends at data offset 8, the file has 7 bytes of "
                "data");
  ExpectDamaged(File("{}", "1"),
                "m: tensors cover 0 bytes of data, the file has 1");
  ExpectDamaged(
      File(R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[1]}})", "1"),
      "m: tensor 'w': expected two ascending data_offsets, found [1]");
}

TEST(Safetensors, ReportsOverlapAndDuplicates) {
  ExpectDamaged(
      File(R"({"v":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
           R"("w":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
           "123"),
      "m: tensor 'w': expected data offset 2 (end of the one before), found 1");
  ExpectDamaged(File(R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                     R"("w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                     "1"),
                "m: tensor 'w': expected once, found twice");
}

TEST(Safetensors, ReportsHugeNumbers) {
  ExpectDamaged(std::string(8, '\xff') + "{}",
                "m: expected a header of at most 2 bytes, found length "
                "18446744073709551615");
  const auto result =
      Read(File(R"({"w":{"dtype":"U8","shape":[4611686018427387904,4],)"
                R"("data_offsets":[0,0]}})",
                ""));
  EXPECT_EQ(result.status().code(), StatusCode::kDamaged);
}

TEST(Safetensors, RefusesUnknownElementTypesAndBadBools) {
  const auto unknown = Read(
      File(R"({"w":{"dtype":"Q3","shape":[1],"data_offsets":[0,1]}})", "1"));
  EXPECT_EQ(unknown.status().code(), StatusCode::kUnsupported);
  EXPECT_EQ(unknown.status().message(),
            "m: tensor 'w': element type 'Q3' is not supported");
  const std::string content = File(
      R"({"w":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", "\1\2");
  EXPECT_EQ(Read(content)->Get("w").status().message(),
            "m: tensor 'w': element 1: expected 0 or 1, found 2");
}

class Folder : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& content) {
    ASSERT_TRUE(MakeDirectories(path_).ok());
    ASSERT_TRUE(WriteFileAtomically(JoinPath(path_, name), content).ok());
  }
  void WriteParts(const std::string& map) {
    Write("p1", File(R"({"a":{"dtype":"U8","shape":[1],)"
                     R"("data_offsets":[0,1]}})",
                     "\1"));
    Write("p2", File(R"({"b":{"dtype":"U8","shape":[1],)"
                     R"("data_offsets":[0,1]}})",
                     "\2"));
    Write("model.safetensors.index.json", R"({"weight_map":)" + map + "}");
  }
  const std::string path_ =
      testing::TempDir() + "stint_safetensors_" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Folder, OpensThePartsOfAnIndex) {
  WriteParts(R"({"a":"p1","b":"p2"})");
  const auto file = Safetensors::OpenFolder(path_);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->Get("a")->data<uint8_t>()[0], 1);
  EXPECT_EQ(file->Get("b")->data<uint8_t>()[0], 2);
}

TEST_F(Folder, ReportsATensorThatIsNotInItsPart) {
  WriteParts(R"({"a":"p2"})");
  const auto file = Safetensors::OpenFolder(path_);
  EXPECT_EQ(file.status().message(),
            path_ +
                "/model.safetensors.index.json: tensor 'a': expected in "
                "'p2', found none there");
}

TEST_F(Folder, RefusesPartsOutsideTheFolder) {
  WriteParts(R"({"a":"../p1"})");
  EXPECT_EQ(Safetensors::OpenFolder(path_).status().code(),
            StatusCode::kDamaged);
}

}  // namespace
}  // namespace stint
