#include "weights/package/text_inputs.h"

#include <algorithm>

#include "core/tensor/element_access.h"

namespace stint {
namespace {

const std::vector<int32_t>* SourceOf(const std::string& input,
                                     const Encoding& encoding) {
  if (input == "input_ids") return &encoding.ids;
  if (input == "attention_mask") return &encoding.attention_mask;
  if (input == "token_type_ids") return &encoding.type_ids;
  return nullptr;
}

// Exporters write int64 ids; some models take int32.
Result<Tensor> RowOf(const std::vector<int32_t>& ids, DType dtype) {
  if (dtype != DType::kInt64 && dtype != DType::kInt32) {
    return InvalidArgument("is " + std::string(DTypeName(dtype)) +
                           ", expected int64 or int32 for token ids");
  }
  STINT_ASSIGN_OR_RETURN(
      Tensor row,
      Tensor::Allocate(dtype, {1, static_cast<int64_t>(ids.size())}));
  const std::vector<int64_t> wide(ids.begin(), ids.end());
  StoreElements<int64_t>(wide.data(), 0, row.size(), &row);
  return row;
}

}  // namespace

Result<std::vector<Value>> TextInputs(const Package& package,
                                      std::string_view text,
                                      std::optional<std::string_view> pair,
                                      const EncodeOptions& options) {
  if (package.tokenizer == nullptr) {
    return InvalidArgument("the model has no tokenizer and takes no text");
  }
  EncodeOptions limits = options;
  if (package.max_length > 0) {
    limits.max_length = options.max_length > 0
                            ? std::min(options.max_length, package.max_length)
                            : package.max_length;
  }
  const Encoding encoding = package.tokenizer->Encode(text, pair, limits);
  const Graph& graph = *package.graph;
  std::vector<Value> inputs;
  for (ValueId id : graph.inputs()) {
    const GraphValue& input = graph.value(id);
    const std::vector<int32_t>* source = SourceOf(input.name, encoding);
    if (source == nullptr) {
      return InvalidArgument("input '" + input.name +
                             "' is nothing that a text gives");
    }
    auto row = RowOf(*source, input.type.dtype);
    if (!row.ok()) {
      return row.status().Annotate("input '" + input.name + "'");
    }
    inputs.push_back(std::move(row).value());
  }
  return inputs;
}

}  // namespace stint
