#include "convert/onnx/adapters.h"

#include <algorithm>
#include <tuple>

#include "convert/onnx/schema_versions.h"

namespace stint::onnx {
namespace {

using AdapterList = std::span<const AdapterRow> (*)();
constexpr AdapterList kLists[] = {
    ElementwiseAdapters, ShapeAdapters,     NeuralAdapters,
    ResampleAdapters,    DataAdapters,      QuantizeAdapters,
    AttentionAdapters,   RecurrentAdapters, TrainingAdapters};

}  // namespace

const AdapterRow* FindAdapter(std::string_view domain, std::string_view name,
                              int version) {
  for (AdapterList list : kLists) {
    for (const AdapterRow& row : list()) {
      if (row.domain == domain && row.name == name &&
          row.first_version <= version && version <= row.last_version) {
        return &row;
      }
    }
  }
  return nullptr;
}

std::vector<SupportedOperator> SupportedOperators() {
  std::vector<SupportedOperator> operators;
  for (const OnnxSchema& schema : OnnxSchemas()) {
    SupportedOperator entry{schema.domain, schema.name, {}};
    const bool is_constant = schema.domain.empty() && schema.name == "Constant";
    const bool is_ours =
        schema.domain.empty() && FindOp(schema.name) != nullptr;
    for (const auto& [version, required] : schema.versions) {
      if (is_constant || is_ours ||
          FindAdapter(schema.domain, schema.name, version) != nullptr) {
        entry.versions.push_back(version);
      }
    }
    if (!entry.versions.empty()) operators.push_back(std::move(entry));
  }
  for (AdapterList list : kLists) {
    for (const AdapterRow& row : list()) {
      if (row.domain == "com.microsoft") {
        operators.push_back({row.domain, row.name, {}});
      }
    }
  }
  std::sort(operators.begin(), operators.end(),
            [](const SupportedOperator& a, const SupportedOperator& b) {
              return std::tie(a.domain, a.name) < std::tie(b.domain, b.name);
            });
  return operators;
}

bool IsKnownOperator(std::string_view domain, std::string_view name) {
  if (domain.empty() && FindOp(name) != nullptr) return true;
  for (AdapterList list : kLists) {
    for (const AdapterRow& row : list()) {
      if (row.domain == domain && row.name == name) return true;
    }
  }
  return false;
}

}  // namespace stint::onnx
