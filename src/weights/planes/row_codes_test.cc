#include "weights/planes/row_codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"

namespace stint {
namespace {

struct Table {
  int64_t rows;
  int64_t columns;
  std::vector<float> weights;
};

Table Gaussian(int64_t rows, int64_t columns) {
  Table table{rows, columns, {}};
  Random random(11);
  for (int64_t i = 0; i < rows; ++i) {
    const double spread = 0.01 + random.NextDouble();
    for (int64_t j = 0; j < columns; ++j) {
      table.weights.push_back(static_cast<float>(spread * random.NextNormal()));
    }
  }
  return table;
}

Result<RowCodes> Fit(const Table& table, int bits) {
  const auto copy = [&](int64_t first, std::span<float> to) {
    std::copy_n(table.weights.data() + first * table.columns, to.size(),
                to.data());
  };
  return FitRowCodes({table.rows, table.columns, copy}, bits);
}

// Squared error over the energy, of all rows coded and decoded.
double RelativeError(const Table& table, int bits) {
  const auto codes = Fit(table, bits);
  EXPECT_TRUE(codes.ok());
  double error = 0, energy = 0, reported = 0;
  std::vector<uint8_t> bytes(static_cast<size_t>(codes->format.bytes()));
  std::vector<float> decoded(static_cast<size_t>(table.columns));
  for (int64_t i = 0; i < table.rows; ++i) {
    const float* row = table.weights.data() + i * table.columns;
    reported += EncodeRow(*codes, {row, decoded.size()}, bytes.data()).value();
    DecodeRow(codes->format, codes->values.data(), bytes.data(),
              decoded.data());
    for (int64_t j = 0; j < table.columns; ++j) {
      const double off = static_cast<double>(decoded[j]) - row[j];
      error += off * off;
      energy += static_cast<double>(row[j]) * row[j];
    }
  }
  EXPECT_NEAR(reported, error, 1e-4 * error);
  return error / energy;
}

TEST(RowCodes, LoseWhatTheirBitsAllow) {
  // Errors of the best dictionaries for a Gaussian (Max, 1960): 0.00950 at 4
  // bits, 0.00250 at 5. The int8 grid adds to that at 6 and 8 bits.
  const Table table = Gaussian(300, 131);
  EXPECT_LT(RelativeError(table, 4), 0.0105);
  EXPECT_LT(RelativeError(table, 5), 0.0030);
  EXPECT_LT(RelativeError(table, 6), 0.0010);
  EXPECT_LT(RelativeError(table, 8), 0.0002);
}

TEST(RowCodes, ARowTakesItsBitsAndAScale) {
  EXPECT_EQ((RowFormat{384, 5}.bytes()), 4 + 240);
  EXPECT_EQ((RowFormat{3, 5}.bytes()), 4 + 4);
  EXPECT_EQ((RowFormat{7, 5}.bytes()), 4 + 8);
}

TEST(RowCodes, RowsOfZerosStayZero) {
  Table table = Gaussian(4, 32);
  std::fill(table.weights.begin(), table.weights.begin() + 32, 0.0f);
  const auto codes = Fit(table, 5);
  ASSERT_TRUE(codes.ok());
  std::vector<uint8_t> bytes(static_cast<size_t>(codes->format.bytes()));
  ASSERT_TRUE(EncodeRow(*codes, {table.weights.data(), 32}, bytes.data()).ok());
  std::vector<float> decoded(32, 1.0f);
  DecodeRow(codes->format, codes->values.data(), bytes.data(), decoded.data());
  EXPECT_EQ(decoded, std::vector<float>(32, 0.0f));
}

TEST(RowCodes, RefuseWeightsThatAreNotFinite) {
  Table table = Gaussian(4, 32);
  const auto codes = Fit(table, 5);
  table.weights[5] = NAN;
  EXPECT_FALSE(Fit(table, 5).ok());
  std::vector<uint8_t> bytes(static_cast<size_t>(codes->format.bytes()));
  EXPECT_FALSE(
      EncodeRow(*codes, {table.weights.data(), 32}, bytes.data()).ok());
}

}  // namespace
}  // namespace stint
