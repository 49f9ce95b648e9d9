#include "model/ops/signature.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace stint {
namespace {

enum Option : uint8_t {
  kOne,
  kMaybe,      // may be left out
  kMany,       // the last input, any number of times
  kMixed,      // as kMany, each of its own type
  kManyMaybe,  // as kMany, each may be left out
};

// Element types are bits, by DType; one set per kind of value.
struct Parameter {
  Option option;
  uint8_t group;  // parameters of one group have the same element type
  uint32_t tensors;
  uint32_t sequences;
  uint32_t optionals;
};

constexpr size_t kMaxParameters = 9;
constexpr size_t kMaxGroups = kMaxParameters + 1;

struct Signature {
  std::string_view name;
  int min_inputs;
  int max_outputs;  // 0: any number
  size_t num_parameters;
  Parameter parameters[kMaxParameters];
};

constexpr Signature kSignatures[] = {
#include "model/ops/signatures.inc"
};

constexpr uint32_t kFloat = 1u << static_cast<int>(DType::kFloat32);
constexpr Parameter kInput = {kOne, 0, kFloat, 0, 0};
constexpr Parameter kOptional = {kMaybe, 0, kFloat, 0, 0};
// Blocked images may be narrow, each as it likes.
constexpr uint32_t kNarrow = kFloat | 1u << static_cast<int>(DType::kBFloat16);
constexpr Parameter kImage = {kOne, 1, kNarrow, 0, 0};
constexpr Parameter kOptionalImage = {kMaybe, 2, kNarrow, 0, 0};
constexpr uint32_t kByte = 1u << static_cast<int>(DType::kUInt8);
constexpr Parameter kBytes = {kOne, 1, kByte, 0, 0};
constexpr Parameter kOptionalBytes = {kMaybe, 1, kByte, 0, 0};

// The ops that no file format has; sorted.
constexpr Signature kFusedSignatures[] = {
    {"BlockedAveragePool", 1, 1, 1, {kInput}},
    {"BlockedConv",
     2,
     1,
     5,
     {kImage, kInput, kOptional, kOptionalImage, kOptional}},
    {"BlockedGlobalAverage", 1, 1, 1, {kInput}},
    {"BlockedMaxPool", 1, 1, 1, {kImage}},
    {"DequantizeImage", 1, 1, 1, {kBytes}},
    {"FromBlocked", 1, 1, 1, {kInput}},
    {"FusedAttention", 4, 1, 4, {kInput, kOptional, kOptional, kOptional}},
    {"FusedConv", 2, 1, 4, {kInput, kInput, kOptional, kOptional}},
    {"FusedLinear",
     4,
     1,
     4,
     {kInput, kOptional, kInput, {kManyMaybe, 0, kFloat, 0, 0}}},
    {"FusedLinearNorm",
     5,
     1,
     6,
     {kInput, kOptional, kInput, kOptional, kInput, kOptional}},
    {"QuantizeImage", 1, 1, 1, {kInput}},
    {"QuantizedAdd", 2, 1, 2, {kBytes, kBytes}},
    {"QuantizedAveragePool", 1, 1, 1, {kBytes}},
    {"QuantizedConcat", 1, 1, 1, {{kMany, 1, kByte, 0, 0}}},
    {"QuantizedConv",
     2,
     1,
     5,
     {kBytes, kInput, kOptional, kOptionalBytes, kOptional}},
    {"QuantizedGate", 2, 1, 2, {kBytes, kInput}},
    {"QuantizedGlobalAverage", 1, 1, 1, {kBytes}},
    {"QuantizedLookup", 2, 1, 2, {kBytes, kBytes}},
    {"QuantizedMaxPool", 1, 1, 1, {kBytes}},
    {"ToBlocked", 1, 1, 1, {kInput}},
};

template <size_t kRows>
const Signature* FindIn(const Signature (&table)[kRows],
                        std::string_view name) {
  const auto* it = std::lower_bound(
      std::begin(table), std::end(table), name,
      [](const Signature& row, std::string_view n) { return row.name < n; });
  return it != std::end(table) && it->name == name ? it : nullptr;
}

const Signature* FindSignature(std::string_view name) {
  const Signature* fused = FindIn(kFusedSignatures, name);
  return fused != nullptr ? fused : FindIn(kSignatures, name);
}

uint32_t TypesOf(const Parameter& parameter, Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kTensor:
      return parameter.tensors;
    case Value::Kind::kSequence:
      return parameter.sequences;
    case Value::Kind::kOptional:
      return parameter.optionals;
  }
  return 0;
}

std::string InputName(int i) { return "input " + std::to_string(i); }

Status CheckInput(const Parameter& parameter, int i, const ValueType& type) {
  const uint32_t types = TypesOf(parameter, type.kind);
  const bool fits =
      types != 0 &&
      (!type.typed || (types >> static_cast<int>(type.dtype)) & 1u);
  if (fits) return OkStatus();
  return InvalidArgument(InputName(i) + " is " + ToString(type, {}) +
                         ", which this operator does not take");
}

Status CheckCounts(const Signature& signature, const InferContext& ctx) {
  if (ctx.num_inputs() < signature.min_inputs) {
    return InvalidArgument("has " + std::to_string(ctx.num_inputs()) +
                           " inputs, expected at least " +
                           std::to_string(signature.min_inputs));
  }
  const size_t most = signature.num_parameters;
  const bool open_ended =
      most > 0 && signature.parameters[most - 1].option >= kMany;
  if (!open_ended && ctx.num_inputs() > static_cast<int>(most)) {
    return InvalidArgument("has " + std::to_string(ctx.num_inputs()) +
                           " inputs, expected at most " + std::to_string(most));
  }
  if (ctx.num_outputs() < 1 || (signature.max_outputs > 0 &&
                                ctx.num_outputs() > signature.max_outputs)) {
    return InvalidArgument("has " + std::to_string(ctx.num_outputs()) +
                           " outputs, expected at most " +
                           std::to_string(signature.max_outputs));
  }
  return OkStatus();
}

}  // namespace

Status CheckSignature(const Op& op, const InferContext& ctx) {
  const Signature* signature = FindSignature(OpName(op));
  if (signature == nullptr) return OkStatus();
  STINT_RETURN_IF_ERROR(CheckCounts(*signature, ctx));
  std::array<int, kMaxGroups> first;  // the input that settled a group's type
  first.fill(-1);
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Parameter& parameter =
        signature
            ->parameters[std::min<size_t>(i, signature->num_parameters - 1)];
    if (!ctx.has(i)) {
      if (parameter.option == kMaybe || parameter.option == kManyMaybe) {
        continue;
      }
      return InvalidArgument(InputName(i) + " is missing");
    }
    STINT_RETURN_IF_ERROR(CheckInput(parameter, i, ctx.in(i)));
    if (parameter.option == kMixed || !ctx.in(i).typed) continue;
    int& leader = first[parameter.group];
    if (leader < 0) leader = i;
    if (ctx.in(i).dtype != ctx.in(leader).dtype) {
      return InvalidArgument(
          InputName(i) + " is " + std::string(DTypeName(ctx.in(i).dtype)) +
          ", expected " + std::string(DTypeName(ctx.in(leader).dtype)) +
          " as " + InputName(leader));
    }
  }
  return OkStatus();
}

}  // namespace stint
