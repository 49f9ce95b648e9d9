#include "convert/data/npy.h"

#include <gtest/gtest.h>

#include "convert/data/compressed_file.h"
#include "core/platform/file.h"

namespace stint {
namespace {

std::string Fixture(const std::string& name) {
  return std::string(STINT_TEST_FIXTURES) + "/npy/" + name + ".npy";
}

template <typename T>
void ExpectCounting(const std::string& name, const Tensor& tensor) {
  ASSERT_EQ(tensor.dtype(), DTypeOf<T>()) << name;
  ASSERT_EQ(tensor.shape(), (Shape{2, 3, 4})) << name;
  for (int64_t i = 0; i < 24; ++i) {
    EXPECT_EQ(tensor.data<T>()[i], static_cast<T>(i)) << name << " at " << i;
  }
}

template <typename T>
void ExpectCountingFile(const std::string& name) {
  const Result<Tensor> tensor = ReadNpy(Fixture(name));
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  ExpectCounting<T>(name, *tensor);
}

// A header as numpy.save writes it, around a dict and elements of our choice.
std::string File(const std::string& dict, const std::string& elements = "") {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dict.size() & 0xff);
  bytes += static_cast<char>(dict.size() >> 8);
  return bytes + dict + elements;
}

TEST(Npy, ReadsEveryPlainTypeThatNumPyWrites) {
  ExpectCountingFile<float>("f4");
  ExpectCountingFile<double>("f8");
  ExpectCountingFile<int8_t>("i1");
  ExpectCountingFile<int16_t>("i2");
  ExpectCountingFile<int32_t>("i4");
  ExpectCountingFile<int64_t>("i8");
  ExpectCountingFile<uint8_t>("u1");
  ExpectCountingFile<uint16_t>("u2");
  ExpectCountingFile<uint32_t>("u4");
  ExpectCountingFile<uint64_t>("u8");
}

TEST(Npy, ReadsHalfFloatBits) {
  const Tensor tensor = ReadNpy(Fixture("f2")).value();
  EXPECT_EQ(tensor.dtype(), DType::kFloat16);
  EXPECT_EQ(tensor.data<uint16_t>()[1], 0x3c00);
}

TEST(Npy, ReadsBoolAsZeroAndOne) {
  const Tensor tensor = ReadNpy(Fixture("bool")).value();
  EXPECT_EQ(tensor.dtype(), DType::kBool);
  EXPECT_TRUE(tensor.data<bool>()[3]);
  EXPECT_FALSE(tensor.data<bool>()[4]);
}

TEST(Npy, SwapsBigEndianElements) { ExpectCountingFile<int32_t>("big_endian"); }

TEST(Npy, TurnsFortranOrderIntoRowMajor) {
  ExpectCountingFile<float>("fortran");
}

TEST(Npy, ReadsVersionsTwoAndThree) {
  ExpectCountingFile<float>("version2");
  ExpectCountingFile<float>("version3");
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  const Tensor scalar = ReadNpy(Fixture("scalar")).value();
  EXPECT_EQ(scalar.shape(), Shape{});
  EXPECT_EQ(scalar.data<float>()[0], 7.5f);
  EXPECT_EQ(ReadNpy(Fixture("empty"))->shape(), (Shape{0, 5}));
}

TEST(Npy, ReadsStringsAsUtf8) {
  const Tensor tensor = ReadNpy(Fixture("strings")).value();
  ASSERT_EQ(tensor.dtype(), DType::kString);
  ASSERT_EQ(tensor.shape(), (Shape{2, 2}));
  EXPECT_EQ(tensor.data<std::string>()[1],
            "stra\xc3\x9f"
            "e");
  EXPECT_EQ(tensor.data<std::string>()[2], "");
  EXPECT_EQ(tensor.data<std::string>()[3], "\xf0\x9f\x98\x80!");
  const Tensor bytes = ReadNpy(Fixture("byte_strings")).value();
  EXPECT_EQ(bytes.data<std::string>()[0], "ab");
  EXPECT_EQ(bytes.data<std::string>()[2], "c");
}

TEST(Npy, WritesTheSameBytesAsNumPy) {
  for (const char* name :
       {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "c8",
        "c16", "bool", "scalar", "empty", "vector", "strings"}) {
    const std::string expected = ReadFile(Fixture(name)).value();
    EXPECT_EQ(EncodeNpy(DecodeNpy(expected).value()).value(), expected) << name;
  }
}

TEST(Npy, WidensTypesThatNumPyLacks) {
  Tensor tensor = Tensor::Allocate(DType::kBFloat16, {2}).value();
  tensor.data<uint16_t>()[1] = 0xbf80;
  const Tensor wide = DecodeNpy(EncodeNpy(tensor).value()).value();
  ASSERT_EQ(wide.dtype(), DType::kFloat32);
  EXPECT_EQ(wide.data<float>()[1], -1.0f);

  tensor = Tensor::Allocate(DType::kFloat4E2M1, {1}).value();
  tensor.data<uint8_t>()[0] = 0x7;
  EXPECT_EQ(DecodeNpy(EncodeNpy(tensor).value())->data<float>()[0], 6.0f);

  tensor = Tensor::Allocate(DType::kInt4, {1}).value();
  tensor.data<int8_t>()[0] = -8;
  EXPECT_EQ(DecodeNpy(EncodeNpy(tensor).value())->data<int8_t>()[0], -8);
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::string bytes = ReadFile(Fixture("strings")).value();
  for (size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_FALSE(DecodeNpy(std::string_view(bytes).substr(0, n)).ok()) << n;
  }
}

TEST(Npy, NamesExpectedAndFoundBytes) {
  const Result<Tensor> tensor = DecodeNpy(File(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", "1234"));
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.status().code(), StatusCode::kDamaged);
  EXPECT_EQ(tensor.status().message(),
            "shape [2,3] of f4 needs 24 bytes, found 4");
}

TEST(Npy, RefusesSizesThatOverflow) {
  for (const char* shape : {"(4611686018427387904, 8)", "(9999999999999,)"}) {
    const Result<Tensor> tensor =
        DecodeNpy(File("{'descr': '<f8', 'fortran_order': False, 'shape': " +
                       std::string(shape) + ", }"));
    EXPECT_FALSE(tensor.ok()) << shape;
  }
}

TEST(Npy, RefusesMalformedHeaders) {
  for (const char* dict :
       {"", "{}", "{'descr': '<f4'}", "{'shape': (1,)}", "nonsense",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, }",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (), }",
        "{'descr': '<f4', 'descr': '<f4', 'shape': (), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), } x"}) {
    const Result<Tensor> tensor = DecodeNpy(File(dict, "1234"));
    ASSERT_FALSE(tensor.ok()) << dict;
    EXPECT_EQ(tensor.status().code(), StatusCode::kDamaged) << dict;
  }
}

TEST(Npy, SaysWhichTypesAreUnsupported) {
  for (const char* descr :
       {"'|O'", "'<V2'", "'<M8[s]'", "'<f16'", "[('a', '<f4')]"}) {
    const Result<Tensor> tensor =
        DecodeNpy(File("{'descr': " + std::string(descr) +
                       ", 'fortran_order': False, 'shape': (0,), }"));
    ASSERT_FALSE(tensor.ok()) << descr;
    EXPECT_EQ(tensor.status().code(), StatusCode::kUnsupported) << descr;
  }
}

TEST(Npy, WritesFilesThatReadBack) {
  const std::string path = testing::TempDir() + "/stint_npy_test.npy";
  const Tensor tensor = Tensor::Vector<float>({1, 2, 3});
  ASSERT_TRUE(WriteNpy(path, tensor).ok());
  EXPECT_EQ(ReadNpy(path)->data<float>()[2], 3.0f);
}

TEST(Npy, ErrorsNameTheFile) {
  const Result<Tensor> tensor = ReadNpy("/no/such/file.npy");
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.status().code(), StatusCode::kNotFound);
  EXPECT_NE(tensor.status().message().find("/no/such/file.npy"),
            std::string::npos);
}

TEST(Npy, ReadsCompressedGoldenLogits) {
  const std::string path = std::string(STINT_TEST_DATA) +
                           "/models/golden/cifar10_resnet20_test_logits.npy.gz";
  if (!FileExists(path)) GTEST_SKIP() << "needs " << path;
  const Result<Tensor> tensor = ReadNpy(path);
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  EXPECT_EQ(tensor->shape(), (Shape{10000, 10}));
  EXPECT_EQ(tensor->dtype(), DType::kFloat32);
}

}  // namespace
}  // namespace stint
