#include "convert/onnx/adapters.h"

namespace stint::onnx {
namespace {

using AdapterList = std::span<const AdapterRow> (*)();
constexpr AdapterList kLists[] = {
    ElementwiseAdapters, ShapeAdapters,     NeuralAdapters,  QuantizeAdapters,
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
