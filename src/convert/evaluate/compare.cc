#include "convert/evaluate/compare.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/element_access.h"

namespace stint {
namespace {

std::string Describe(const Tensor& tensor) {
  return std::string(DTypeName(tensor.dtype())) + ToString(tensor.shape());
}

Status Differs(int64_t index, const std::string& found,
               const std::string& expected) {
  return Mismatch("element " + std::to_string(index) + " is " + found +
                  ", expected " + expected);
}

Result<double> CompareFloats(const Tensor& found, const Tensor& expected,
                             const Tolerance& tolerance) {
  const std::vector<double> a = ElementsAs<double>(found);
  const std::vector<double> b = ElementsAs<double>(expected);
  double worst = 0;
  int64_t worst_index = -1;
  double worst_excess = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] == b[i]) continue;
    const double difference = std::fabs(a[i] - b[i]);
    const double allowed =
        tolerance.absolute + tolerance.relative * std::fabs(b[i]);
    if (std::isfinite(difference)) worst = std::max(worst, difference);
    const double excess = std::isfinite(difference) && std::isfinite(allowed)
                              ? difference - allowed
                              : INFINITY;
    if (excess > worst_excess) {
      worst_excess = excess;
      worst_index = static_cast<int64_t>(i);
    }
  }
  if (worst_index >= 0) {
    return Differs(worst_index, std::to_string(a[worst_index]),
                   std::to_string(b[worst_index]));
  }
  return worst;
}

Result<double> CompareTensors(const Tensor& found, const Tensor& expected,
                              const Tolerance& tolerance) {
  if (found.dtype() != expected.dtype() || found.shape() != expected.shape()) {
    return Mismatch("output is " + Describe(found) + ", expected " +
                    Describe(expected));
  }
  if (found.dtype() == DType::kString) {
    for (int64_t i = 0; i < found.size(); ++i) {
      const std::string& a = found.data<std::string>()[i];
      const std::string& b = expected.data<std::string>()[i];
      if (a != b) return Differs(i, "'" + a + "'", "'" + b + "'");
    }
    return 0.0;
  }
  if (IsFloat(found.dtype())) {
    return CompareFloats(found, expected, tolerance);
  }
  const std::vector<int64_t> a = ElementsAs<int64_t>(found);
  const std::vector<int64_t> b = ElementsAs<int64_t>(expected);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) {
      return Differs(static_cast<int64_t>(i), std::to_string(a[i]),
                     std::to_string(b[i]));
    }
  }
  return 0.0;
}

}  // namespace

Result<double> CompareValues(const Value& found, const Value& expected,
                             const Tolerance& tolerance) {
  if (found.kind() != expected.kind()) {
    return Mismatch("output is of another kind (tensor, sequence, optional)");
  }
  if (found.is_tensor()) {
    return CompareTensors(found.tensor(), expected.tensor(), tolerance);
  }
  if (found.elements().size() != expected.elements().size()) {
    return Mismatch("output has " + std::to_string(found.elements().size()) +
                    " elements, expected " +
                    std::to_string(expected.elements().size()));
  }
  double worst = 0;
  for (size_t i = 0; i < found.elements().size(); ++i) {
    STINT_ASSIGN_OR_RETURN(
        const double error,
        CompareValues(found.elements()[i], expected.elements()[i], tolerance));
    worst = std::max(worst, error);
  }
  return worst;
}

}  // namespace stint
