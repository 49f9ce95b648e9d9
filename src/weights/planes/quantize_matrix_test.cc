#include "weights/planes/quantize_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "core/base/random.h"
#include "core/platform/file.h"
#include "weights/planes/decode_matrix.h"

namespace stint {
namespace {

struct Matrix {
  int64_t outputs = 0;
  int64_t inputs = 0;
  std::vector<float> weights;

  auto Copy() const {
    return [this](int64_t first, std::span<float> to) {
      std::copy_n(weights.data() + first * inputs, to.size(), to.data());
    };
  }
};

Result<PlaneMatrix> Quantize(const Matrix& m, const QuantizeOptions& options,
                             int threads = 1) {
  ThreadPool pool(threads);
  const auto copy = m.Copy();
  return QuantizeMatrix({m.outputs, m.inputs, copy}, options, &pool);
}

// Channels of different spread, and a few weights that are far out.
Matrix Gaussian(int64_t outputs, int64_t inputs) {
  Matrix m{outputs, inputs, {}};
  Random random(5);
  for (int64_t i = 0; i < outputs; ++i) {
    const double spread = 0.02 + 0.04 * random.NextDouble();
    for (int64_t j = 0; j < inputs; ++j) {
      const double far = random.NextInt(5000) == 0 ? 6 : 1;
      m.weights.push_back(
          static_cast<float>(far * spread * random.NextNormal()));
    }
  }
  return m;
}

// A float32 tensor of MiniLM; empty where the model has not been fetched
// (tools/fetch_minilm.sh).
std::vector<float> MiniLmTensor(const std::string& name) {
  static const auto file = MappedFile::Open(
      STINT_TEST_FIXTURES
      "/../../.cache/models/all-minilm-l6-v2/model.safetensors");
  if (!file.ok()) return {};
  const auto bytes = (*file)->bytes();
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), 8);
  const std::string header(reinterpret_cast<const char*>(bytes.data()) + 8,
                           header_bytes);
  const size_t entry = header.find('"' + name + '"');
  if (entry == std::string::npos) return {};
  const size_t at = header.find("\"data_offsets\":[", entry) + 16;
  const size_t begin = std::stoull(header.substr(at));
  const size_t end = std::stoull(header.substr(header.find(',', at) + 1));
  std::vector<float> values((end - begin) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + 8 + header_bytes + begin,
              end - begin);
  return values;
}

std::vector<int64_t> Bounds(int64_t size, int64_t slices) {
  std::vector<int64_t> bounds;
  for (int64_t i = 0; i <= slices; ++i) bounds.push_back(size / slices * i);
  return bounds;
}

double SquaredError(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum += (static_cast<double>(a[i]) - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

// Squared error of the best dictionary of float values for these weights alone,
// by Lloyd's algorithm from equally filled cells; weights are (value in units,
// unit), sorted by value.
double LloydError(const std::vector<std::pair<double, double>>& weights,
                  int cells) {
  const size_t n = weights.size();
  std::vector<double> count(n + 1), sum(n + 1), square(n + 1);
  for (size_t i = 0; i < n; ++i) {
    const auto [x, unit] = weights[i];
    count[i + 1] = count[i] + unit * unit;
    sum[i + 1] = sum[i] + unit * unit * x;
    square[i + 1] = square[i] + unit * unit * x * x;
  }
  std::vector<size_t> edge(static_cast<size_t>(cells) + 1);
  for (int i = 0; i <= cells; ++i) edge[i] = n * i / cells;
  double before = 1e300;
  while (true) {
    double error = 0;
    std::vector<double> mean(static_cast<size_t>(cells));
    for (int i = 0; i < cells; ++i) {
      const double c = count[edge[i + 1]] - count[edge[i]];
      const double s = sum[edge[i + 1]] - sum[edge[i]];
      mean[i] = c > 0 ? s / c : 0;
      error += square[edge[i + 1]] - square[edge[i]] - mean[i] * s;
    }
    if (error > before * (1 - 1e-7)) return error;
    before = error;
    for (int i = 1; i < cells; ++i) {
      const double middle = 0.5 * (mean[i - 1] + mean[i]);
      edge[i] = static_cast<size_t>(
          std::lower_bound(weights.begin(), weights.end(),
                           std::pair<double, double>{middle, 0}) -
          weights.begin());
    }
  }
}

double IndependentError(const Matrix& m, const PlaneMatrix& planes, int bits) {
  double error = 0;
  for (const PlaneBlock& block : planes.blocks) {
    std::vector<bool> apart(
        static_cast<size_t>(block.shape.outputs * block.shape.inputs));
    for (const PlaneOutlier& o : block.outliers) {
      apart[o.output * block.shape.inputs + o.input] = true;
    }
    std::vector<std::pair<double, double>> weights;
    for (int64_t i = 0; i < block.shape.outputs; ++i) {
      const double unit = planes.scales[block.output + i];
      for (int64_t j = 0; j < block.shape.inputs; ++j) {
        if (apart[i * block.shape.inputs + j]) continue;
        const int64_t at = (block.output + i) * m.inputs + block.input + j;
        weights.emplace_back(m.weights[at] / unit, unit);
      }
    }
    std::sort(weights.begin(), weights.end());
    error += LloydError(weights, 1 << bits);
  }
  return error;
}

// Plain int8 with one scale per output, the usual form.
double PlainInt8Error(const Matrix& m) {
  double error = 0;
  for (int64_t i = 0; i < m.outputs; ++i) {
    const float* row = m.weights.data() + i * m.inputs;
    float most = 0;
    for (int64_t j = 0; j < m.inputs; ++j) {
      most = std::max(most, std::abs(row[j]));
    }
    const double scale = most / 127;
    for (int64_t j = 0; j < m.inputs && scale > 0; ++j) {
      const double off = row[j] - scale * std::round(row[j] / scale);
      error += off * off;
    }
  }
  return error;
}

struct Totals {
  double energy = 0;
  double error[kFidelities] = {};
  double independent[kFidelities] = {};
  double plain = 0;
  int64_t outliers = 0;
  int64_t weights = 0;

  double Relative(int bits) const {
    return error[bits - kPlaneMinBits] / energy;
  }
  double OverIndependent(int bits) const {
    return error[bits - kPlaneMinBits] / independent[bits - kPlaneMinBits];
  }
};

void Add(const Matrix& m, PlaneCut cut, int64_t slices, Totals* totals) {
  const int64_t size = cut == PlaneCut::kOutputs ? m.outputs : m.inputs;
  const auto planes = Quantize(m, {.cut = cut, .bounds = Bounds(size, slices)});
  ASSERT_TRUE(planes.ok());
  for (const PlaneBlock& block : planes->blocks) {
    totals->energy += block.energy;
    totals->outliers += static_cast<int64_t>(block.outliers.size());
    for (int b = 0; b < kFidelities; ++b) totals->error[b] += block.error[b];
  }
  for (int bits = 2; bits <= 5; ++bits) {
    totals->independent[bits - 2] += IndependentError(m, *planes, bits);
  }
  totals->plain += PlainInt8Error(m);
  totals->weights += m.outputs * m.inputs;
}

void ExpectFigures(const Totals& totals) {
  const double expected[] = {0.123, 0.0365, 0.0101, 0.0027, 0.0007};
  for (int bits = 2; bits <= 6; ++bits) {
    EXPECT_LT(totals.Relative(bits), 1.1 * expected[bits - 2]) << bits;
  }
  for (int bits = 2; bits <= 5; ++bits) {
    EXPECT_LE(totals.OverIndependent(bits), 1.06) << bits;
  }
  EXPECT_LE(totals.error[6], 1.5 * totals.plain);
  EXPECT_LE(totals.error[5], 1.5 * 4 * totals.plain);
  const double share = static_cast<double>(totals.outliers) /
                       static_cast<double>(totals.weights);
  EXPECT_LT(share, 0.0015);
  for (int bits = 2; bits <= 8; ++bits) {
    std::printf("%d bits: %.6f of the energy", bits, totals.Relative(bits));
    if (bits <= 5) std::printf(", nested %.3f", totals.OverIndependent(bits));
    std::printf("\n");
  }
  std::printf("8 bits over plain int8: %.3f, outliers %.4f %%\n",
              totals.error[6] / totals.plain, 100 * share);
}

TEST(QuantizeMatrix, GaussianWeightsLoseWhatTheyShould) {
  Totals totals;
  Add(Gaussian(384, 384), PlaneCut::kOutputs, 4, &totals);
  ExpectFigures(totals);
}

TEST(QuantizeMatrix, RealWeightsLoseWhatTheyShould) {
  Totals totals;
  for (int layer : {0, 5}) {
    const std::string prefix = "encoder.layer." + std::to_string(layer) + ".";
    const auto add = [&](const char* name, int64_t outputs, int64_t inputs,
                         PlaneCut cut) {
      const Matrix m{outputs, inputs, MiniLmTensor(prefix + name)};
      if (!m.weights.empty()) Add(m, cut, 12, &totals);
    };
    add("attention.self.query.weight", 384, 384, PlaneCut::kOutputs);
    add("attention.self.value.weight", 384, 384, PlaneCut::kOutputs);
    add("attention.output.dense.weight", 384, 384, PlaneCut::kInputs);
    add("intermediate.dense.weight", 1536, 384, PlaneCut::kOutputs);
    add("output.dense.weight", 384, 1536, PlaneCut::kInputs);
  }
  if (totals.weights == 0) GTEST_SKIP() << "no MiniLM: tools/fetch_minilm.sh";
  ExpectFigures(totals);
}

TEST(QuantizeMatrix, ReportsTheErrorOfWhatIsDecoded) {
  const Matrix m = Gaussian(40, 30);
  const auto planes =
      Quantize(m, {.cut = PlaneCut::kInputs, .bounds = {0, 12, 20, 20, 30}});
  ASSERT_TRUE(planes.ok());
  double before = 1e9;
  for (int bits = 2; bits <= 8; ++bits) {
    double expected = 0;
    for (const PlaneBlock& block : planes->blocks) {
      expected += block.error[bits - 2];
    }
    std::vector<float> decoded(m.weights.size());
    DecodeMatrix(*planes, bits, decoded.data());
    EXPECT_NEAR(SquaredError(decoded, m.weights), expected, 1e-4 * expected);
    EXPECT_LT(expected, before);
    before = expected;
  }
}

TEST(QuantizeMatrix, OutliersAreExactAtEveryFidelity) {
  Matrix m = Gaussian(32, 64);
  m.weights[5 * 64 + 7] = 11.5f;
  m.weights[31 * 64 + 63] = -3.25f;
  const auto planes = Quantize(m, {.bounds = {0, 16, 32}});
  ASSERT_TRUE(planes.ok());
  for (int bits = 2; bits <= 8; ++bits) {
    std::vector<float> decoded(m.weights.size());
    DecodeMatrix(*planes, bits, decoded.data());
    EXPECT_EQ(decoded[5 * 64 + 7], 11.5f);
    EXPECT_EQ(decoded[31 * 64 + 63], -3.25f);
  }
}

TEST(QuantizeMatrix, FewerBitsAreTheSamePlanes) {
  const Matrix m = Gaussian(48, 20);
  const auto all = Quantize(m, {.bounds = {0, 48}});
  const auto few = Quantize(m, {.bounds = {0, 48}, .bits = 3});
  ASSERT_TRUE(all.ok() && few.ok());
  const PlaneBlock& block = few->blocks[0];
  ASSERT_EQ(block.planes.size(), 3u * block.shape.plane_words());
  EXPECT_TRUE(std::equal(block.planes.begin(), block.planes.end(),
                         all->blocks[0].planes.begin()));
}

TEST(QuantizeMatrix, IsTheSameForAnyNumberOfThreads) {
  const Matrix m = Gaussian(96, 100);
  const QuantizeOptions options{.bounds = {0, 16, 32, 48, 80, 96}};
  const auto one = Quantize(m, options, 1);
  const auto three = Quantize(m, options, 3);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(one->scales, three->scales);
  for (size_t i = 0; i < one->blocks.size(); ++i) {
    EXPECT_EQ(one->blocks[i].planes, three->blocks[i].planes);
    EXPECT_EQ(one->blocks[i].values, three->blocks[i].values);
    EXPECT_EQ(one->blocks[i].outliers, three->blocks[i].outliers);
    EXPECT_EQ(one->blocks[i].error, three->blocks[i].error);
  }
}

TEST(QuantizeMatrix, ChannelsOfZerosStayZero) {
  Matrix m = Gaussian(16, 16);
  std::fill(m.weights.begin() + 16, m.weights.begin() + 32, 0.0f);
  for (const Matrix& matrix : {m, Matrix{16, 16, std::vector<float>(256)}}) {
    const auto planes = Quantize(matrix, {.bounds = {0, 16}});
    ASSERT_TRUE(planes.ok());
    std::vector<float> decoded(256);
    DecodeMatrix(*planes, 2, decoded.data());
    for (int j = 0; j < 16; ++j) EXPECT_EQ(decoded[16 + j], 0.0f);
  }
}

TEST(QuantizeMatrix, AMatrixOfFewValuesIsExactAtEightBits) {
  Matrix m{16, 64, {}};
  Random random(3);
  for (int i = 0; i < 16 * 64; ++i) {
    m.weights.push_back(random.NextInt(2) == 0 ? -0.5f : 0.5f);
  }
  const auto planes = Quantize(m, {.bounds = {0, 16}});
  ASSERT_TRUE(planes.ok());
  std::vector<float> decoded(m.weights.size());
  DecodeMatrix(*planes, 8, decoded.data());
  for (size_t i = 0; i < decoded.size(); ++i) {
    EXPECT_NEAR(decoded[i], m.weights[i], 0.005);
  }
}

TEST(QuantizeMatrix, RefusesWeightsThatAreNotFinite) {
  for (float bad : {NAN, INFINITY}) {
    Matrix m = Gaussian(16, 16);
    m.weights[77] = bad;
    EXPECT_EQ(Quantize(m, {.bounds = {0, 16}}).status().code(),
              StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace stint
