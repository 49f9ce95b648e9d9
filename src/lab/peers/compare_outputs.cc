#include "lab/peers/compare_outputs.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/tensor/element_access.h"

namespace stint {
namespace {

// Of the scale of an output: with 0.1 % allowed, a millionth.
constexpr double kFloorShare = 1e-3;
constexpr double kSharesTolerance = 0.02;

const NamedValue* FindOutput(const std::vector<NamedValue>& outputs,
                             const std::string& name) {
  for (const NamedValue& output : outputs) {
    if (output.name == name) return &output;
  }
  return nullptr;
}

bool HasAllNames(const std::vector<NamedValue>& outputs,
                 const std::vector<NamedValue>& reference) {
  return std::all_of(reference.begin(), reference.end(),
                     [&](const NamedValue& expected) {
                       return FindOutput(outputs, expected.name) != nullptr;
                     });
}

void Widen(const OutputDifference& other, OutputDifference* worst) {
  worst->max_difference = std::max(worst->max_difference, other.max_difference);
  worst->relative_error = std::max(worst->relative_error, other.relative_error);
  worst->element_error = std::max(worst->element_error, other.element_error);
}

double SumOfSquares(std::span<const double> values) {
  double sum = 0;
  for (double value : values) sum += std::isfinite(value) ? value * value : 0;
  return sum;
}

double RootMeanSquare(double sum_of_squares, size_t count) {
  return std::sqrt(sum_of_squares / static_cast<double>(count));
}

// Whether every row adds up to 1: shares of a whole, as softmax gives them.
bool AreShares(std::span<const double> values, size_t row) {
  if (row < 2) return false;
  for (size_t i = 0; i < values.size(); i += row) {
    double sum = 0;
    for (double value : values.subspan(i, row)) sum += value;
    if (!(std::abs(sum - 1) < kSharesTolerance)) return false;
  }
  return true;
}

// Both are of one item of a batch, finite in the same places.
OutputDifference CompareItems(std::span<const double> a,
                              std::span<const double> b, double floor) {
  const double norm = SumOfSquares(b);
  // A reference of zeros leaves only the absolute error.
  const double typical =
      norm > 0 ? std::max(floor, RootMeanSquare(norm, b.size())) : 1;
  OutputDifference difference;
  double error = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(b[i])) continue;
    const double distance = std::abs(a[i] - b[i]);
    difference.max_difference = std::max(difference.max_difference, distance);
    difference.element_error = std::max(difference.element_error,
                                        distance / (typical + std::abs(b[i])));
    error += distance * distance;
  }
  difference.relative_error =
      norm > 0 ? RootMeanSquare(error, b.size()) / typical : std::sqrt(error);
  return difference;
}

Result<OutputDifference> CompareTensors(const Tensor& found,
                                        const Tensor& expected,
                                        const std::string& name) {
  if (found.shape() != expected.shape()) {
    return Mismatch("output '" + name + "' has shape " +
                    ToString(found.shape()) + ", expected " +
                    ToString(expected.shape()));
  }
  const auto a = ElementsAs<double>(found);
  const auto b = ElementsAs<double>(expected);
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i]) == std::isfinite(b[i])) continue;
    return Mismatch("output '" + name + "' has " + std::to_string(a[i]) +
                    " at " + std::to_string(i) + ", expected " +
                    std::to_string(b[i]));
  }
  OutputDifference worst;
  if (a.empty()) return worst;
  const auto items =
      static_cast<size_t>(expected.rank() > 1 ? expected.dim(0) : 1);
  const size_t size = a.size() / items;
  const int64_t row = expected.rank() > 0 ? expected.shape().back() : 1;
  const double floor = ScaleFloor(b, static_cast<size_t>(row));
  for (size_t i = 0; i < a.size(); i += size) {
    Widen(CompareItems(std::span(a).subspan(i, size),
                       std::span(b).subspan(i, size), floor),
          &worst);
  }
  return worst;
}

}  // namespace

double ScaleFloor(std::span<const double> reference, size_t row) {
  const bool probabilities =
      std::all_of(reference.begin(), reference.end(),
                  [](double b) { return b > 0 && b <= 1; }) &&
      !AreShares(reference, row);
  if (probabilities) return kFloorShare;
  return kFloorShare * RootMeanSquare(SumOfSquares(reference),
                                      std::max<size_t>(1, reference.size()));
}

Result<OutputDifference> CompareOutputs(
    const std::vector<NamedValue>& outputs,
    const std::vector<NamedValue>& reference) {
  if (outputs.size() != reference.size()) {
    return Mismatch(std::to_string(outputs.size()) + " outputs, expected " +
                    std::to_string(reference.size()));
  }
  const bool by_name = HasAllNames(outputs, reference);
  OutputDifference worst;
  for (size_t i = 0; i < reference.size(); ++i) {
    const NamedValue& expected = reference[i];
    const NamedValue& found =
        by_name ? *FindOutput(outputs, expected.name) : outputs[i];
    STINT_ASSIGN_OR_RETURN(
        const OutputDifference difference,
        CompareTensors(found.value.tensor(), expected.value.tensor(),
                       expected.name));
    Widen(difference, &worst);
  }
  return worst;
}

// The largest honest errors seen (stint bench, nine networks, stint,
// onnxruntime and openvino): bf16 0.025 and 0.09, int8 0.12 and 0.37, both of
// static int8 in EfficientNet-B0.
AllowedDifference AllowedFor(const std::string& precision) {
  if (precision == "fp32") return {1e-3, 5e-3};
  if (precision == "bf16") return {0.05, 0.15};
  return {0.2, 0.5};
}

Status CheckDifference(const OutputDifference& found,
                       const std::string& precision) {
  const AllowedDifference allowed = AllowedFor(precision);
  const auto says = [](double error, double limit) {
    return std::to_string(100 * error) + " %, allowed are " +
           std::to_string(100 * limit) + " %";
  };
  if (!(found.relative_error <= allowed.relative_error)) {
    return Mismatch("outputs differ from the reference by " +
                    says(found.relative_error, allowed.relative_error));
  }
  if (!(found.element_error <= allowed.element_error)) {
    return Mismatch("an element of the outputs differs from the reference by " +
                    says(found.element_error, allowed.element_error));
  }
  return OkStatus();
}

}  // namespace stint
