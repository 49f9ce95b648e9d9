#include "weights/planes/row_codes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/check.h"
#include "weights/planes/channel_scales.h"
#include "weights/planes/nested_dictionary.h"

namespace stint {
namespace {

// Spreads that the int8 grid may reach; there are no outliers here, so what
// lies beyond is cut off.
constexpr double kReaches[] = {3.5, 4, 4.5, 5, 6, 8, 12};
// Weights of a sample: the dictionary has at most 256 values.
constexpr int64_t kSampleWeights = 1 << 20;

float InverseOf(float scale) { return scale > 0 ? 1 / scale : 0; }

// Rows with the same distances, divided by their spreads.
struct Sample {
  std::vector<float> weights;
  std::vector<double> spreads;
};

Result<Sample> TakeSample(const MatrixRows& rows) {
  const int64_t count = std::clamp<int64_t>(
      kSampleWeights / std::max<int64_t>(rows.inputs, 1), 1, rows.outputs);
  Sample sample;
  sample.weights.resize(static_cast<size_t>(count * rows.inputs));
  for (int64_t i = 0; i < count; ++i) {
    const std::span<float> row(sample.weights.data() + i * rows.inputs,
                               static_cast<size_t>(rows.inputs));
    rows.copy(i * rows.outputs / count, row);
    const double spread = SpreadOf(row);
    if (!std::isfinite(spread)) {
      return InvalidArgument("has weights that are not finite");
    }
    for (float& w : row) w *= InverseOf(static_cast<float>(spread));
    sample.spreads.push_back(spread);
  }
  return sample;
}

// Error that codes of that many bits leave in the sample.
double SampleError(const WeightHistogram& histogram,
                   const NestedDictionary& dictionary, int bits) {
  const int8_t* values = dictionary.values.data() + PlaneDictionaryOffset(bits);
  double error = 0;
  for (int i = 0; i < WeightHistogram::kBins; ++i) {
    const int code = dictionary.codes[i] >> (kPlaneMaxBits - bits);
    error += histogram.Error(i, i + 1, values[code]);
  }
  return error;
}

}  // namespace

Result<RowCodes> FitRowCodes(const MatrixRows& rows, int bits) {
  STINT_CHECK(bits >= kRowMinBits && bits <= kRowMaxBits);
  STINT_ASSIGN_OR_RETURN(const Sample sample, TakeSample(rows));
  RowCodes best;
  best.format = {rows.inputs, bits};
  double least = std::numeric_limits<double>::infinity();
  std::vector<float> units(static_cast<size_t>(rows.inputs));
  for (double reach : kReaches) {
    const double unit = reach / kOutlierLimit;
    const auto histogram = std::make_unique<WeightHistogram>();
    for (size_t i = 0; i < sample.spreads.size(); ++i) {
      for (size_t j = 0; j < units.size(); ++j) {
        units[j] =
            static_cast<float>(sample.weights[i * units.size() + j] / unit);
      }
      const double scale = unit * sample.spreads[i];
      histogram->Add(units, scale * scale);
    }
    histogram->Finish();
    const NestedDictionary dictionary = FitNestedDictionary(*histogram);
    const double error = SampleError(*histogram, dictionary, bits);
    if (error >= least) continue;
    least = error;
    best.reach = static_cast<float>(unit);
    std::copy_n(dictionary.values.data() + PlaneDictionaryOffset(bits),
                size_t{1} << bits, best.values.data());
    std::transform(
        dictionary.codes.begin(), dictionary.codes.end(), best.codes.begin(),
        [&](uint8_t code) {
          return static_cast<uint8_t>(code >> (kPlaneMaxBits - bits));
        });
  }
  return best;
}

Result<double> EncodeRow(const RowCodes& codes, std::span<const float> row,
                         uint8_t* to) {
  const double spread = SpreadOf(row);
  if (!std::isfinite(spread)) {
    return InvalidArgument("has weights that are not finite");
  }
  const float scale = codes.reach * static_cast<float>(spread);
  const float inverse = InverseOf(scale);
  std::memset(to, 0, static_cast<size_t>(codes.format.bytes()));
  std::memcpy(to, &scale, sizeof(scale));
  double error = 0;
  const int bits = codes.format.bits;
  for (size_t j = 0; j < row.size(); ++j) {
    const uint8_t code = codes.codes[WeightHistogram::Bin(row[j] * inverse)];
    const double off = row[j] - scale * static_cast<double>(codes.values[code]);
    error += off * off;
    const size_t at = j * static_cast<size_t>(bits);
    const unsigned shifted = static_cast<unsigned>(code) << (at % 8);
    to[4 + at / 8] |= static_cast<uint8_t>(shifted);
    if (shifted >> 8 != 0) {
      to[4 + at / 8 + 1] |= static_cast<uint8_t>(shifted >> 8);
    }
  }
  return error;
}

}  // namespace stint
