#include "lab/peers/compare_outputs.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/element_access.h"

namespace stint {
namespace {

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
  OutputDifference difference;
  double error = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i]) != std::isfinite(b[i])) {
      return Mismatch("output '" + name + "' has " + std::to_string(a[i]) +
                      " at " + std::to_string(i) + ", expected " +
                      std::to_string(b[i]));
    }
    if (!std::isfinite(a[i])) continue;
    const double distance = std::abs(a[i] - b[i]);
    difference.max_difference = std::max(difference.max_difference, distance);
    error += distance * distance;
    norm += b[i] * b[i];
  }
  // A reference of zeros leaves only the absolute error.
  difference.relative_error = std::sqrt(norm > 0 ? error / norm : error);
  return difference;
}

}  // namespace

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
    worst.max_difference =
        std::max(worst.max_difference, difference.max_difference);
    worst.relative_error =
        std::max(worst.relative_error, difference.relative_error);
  }
  return worst;
}

double AllowedError(const std::string& precision) {
  if (precision == "fp32") return 1e-3;
  return precision == "bf16" ? 0.1 : 0.4;
}

}  // namespace stint
