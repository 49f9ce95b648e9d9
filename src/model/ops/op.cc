#include "model/ops/op.h"

#include <algorithm>
#include <cstdio>

#include "model/ops/signature.h"

namespace stint {
namespace {

template <typename T>
Op MakeDefault(int) {
  return T{};
}
template <typename T>
Op MakeOfKind(int kind) {
  T op;
  op.kind = static_cast<decltype(op.kind)>(kind);
  return op;
}

struct OpMethods {
  void (*copy)(void* to, const void* from);
  void (*move)(void* to, void* from);
  void (*destroy)(void* op);
};

template <typename T>
constexpr OpMethods MethodsOf() {
  return {
      [](void* to, const void* from) {
        new (to) T(*static_cast<const T*>(from));
      },
      [](void* to, void* from) {
        new (to) T(std::move(*static_cast<T*>(from)));
      },
      [](void* op) { static_cast<T*>(op)->~T(); },
  };
}

template <typename... Ts>
const OpMethods& MethodsAt(size_t index, OpList<Ts...>) {
  static constexpr OpMethods kMethods[] = {MethodsOf<Ts>()...};
  return kMethods[index];
}
const OpMethods& Methods(const Op& op) {
  return MethodsAt(op.index(), Operators{});
}

template <typename T>
void AddEntries(std::vector<OpEntry>* entries) {
  const auto add_kinds = [&](auto names) {
    for (const auto& row : names) {
      entries->push_back({row.name, MakeOfKind<T>, static_cast<int>(row.kind)});
    }
  };
  if constexpr (requires { T::kName; }) {
    entries->push_back({T::kName, MakeDefault<T>, 0});
  } else {
    add_kinds(KindNames(static_cast<T*>(nullptr)));
  }
}

template <typename... Ts>
std::vector<OpEntry> MakeEntries(OpList<Ts...>) {
  std::vector<OpEntry> entries;
  (AddEntries<Ts>(&entries), ...);
  std::sort(entries.begin(), entries.end(),
            [](const OpEntry& a, const OpEntry& b) { return a.name < b.name; });
  return entries;
}

// Appends "name=value " for every field.
struct FieldPrinter {
  std::string text;

  void operator()(const char* name, const auto& value) {
    if (!text.empty()) text += ' ';
    text += std::string(name) + "=" + Print(value);
  }
  static std::string Print(int64_t value) { return std::to_string(value); }
  static std::string Print(float value) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%g", static_cast<double>(value));
    return buffer;
  }
  static std::string Print(const std::string& value) { return value; }
  static std::string Print(DType value) {
    return std::string(DTypeName(value));
  }
  static std::string Print(const Tensor& value) {
    return std::string(DTypeName(value.dtype())) + ToString(value.shape());
  }
  static std::string Print(SubgraphId value) {
    return "@" + std::to_string(value.index);
  }
  template <typename T>
  static std::string Print(const std::vector<T>& values) {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) text += ',';
      text += Print(values[i]);
    }
    return text + "]";
  }
};

int64_t BytesOf(const ValueType& type) {
  if (!type.typed || !type.ranked) return 0;
  return CountKnown(type.dims) * static_cast<int64_t>(DTypeSize(type.dtype));
}

}  // namespace

Op::Op() : Op(Unary{}) {}
Op::Op(const Op& other) : index_(other.index_) {
  Methods(other).copy(bytes_, other.bytes_);
}
Op::Op(Op&& other) noexcept : index_(other.index_) {
  Methods(other).move(bytes_, other.bytes_);
}
Op& Op::operator=(const Op& other) {
  if (this != &other) *this = Op(other);
  return *this;
}
Op& Op::operator=(Op&& other) noexcept {
  if (this == &other) return *this;
  Methods(*this).destroy(bytes_);
  index_ = other.index_;
  Methods(other).move(bytes_, other.bytes_);
  return *this;
}
Op::~Op() { Methods(*this).destroy(bytes_); }

std::span<const OpEntry> OpEntries() {
  static const std::vector<OpEntry> entries = MakeEntries(Operators{});
  return entries;
}

const OpEntry* FindOp(std::string_view name) {
  const auto entries = OpEntries();
  const auto it = std::lower_bound(
      entries.begin(), entries.end(), name,
      [](const OpEntry& entry, std::string_view n) { return entry.name < n; });
  return it != entries.end() && it->name == name ? &*it : nullptr;
}

std::string_view OpName(const Op& op) {
  return Visit(
      [](const auto& o) -> std::string_view {
        using T = std::decay_t<decltype(o)>;
        if constexpr (requires { T::kName; }) {
          return T::kName;
        } else {
          return KindNames(&o)[static_cast<size_t>(o.kind)].name;
        }
      },
      op);
}

bool IsFused(const Op& op) {
  return As<FusedLinear>(op) || As<FusedLinearNorm>(op) || As<FusedConv>(op) ||
         As<FusedAttention>(op) || As<ToBlocked>(op) || As<FromBlocked>(op) ||
         As<BlockedConv>(op) || As<BlockedMaxPool>(op) ||
         As<BlockedAveragePool>(op) || As<BlockedGlobalAverage>(op) ||
         As<QuantizeImage>(op) || As<DequantizeImage>(op) ||
         As<QuantizedConv>(op) || As<QuantizedMaxPool>(op) ||
         As<QuantizedAveragePool>(op) || As<QuantizedGlobalAverage>(op) ||
         As<QuantizedAdd>(op) || As<QuantizedGate>(op) ||
         As<QuantizedConcat>(op) || As<QuantizedLookup>(op);
}

Status InferTypes(const Op& op, InferContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.Ranked({i})) STINT_RETURN_IF_ERROR(CheckDims(ctx.in(i).dims));
  }
  STINT_RETURN_IF_ERROR(CheckSignature(op, ctx));
  STINT_RETURN_IF_ERROR(
      Visit([&](const auto& o) { return Infer(o, ctx); }, op));
  // Sizes may come from data; later stages multiply them.
  for (const ValueType& type : ctx.outputs()) {
    if (type.ranked) STINT_RETURN_IF_ERROR(CheckDims(type.dims));
  }
  return OkStatus();
}

OpCost CostOf(const Op& op, const InferContext& ctx) {
  OpCost cost;
  cost.macs = Visit(
      [&](const auto& o) -> int64_t {
        if constexpr (requires { Macs(o, ctx); }) {
          return Macs(o, ctx);
        } else {
          return 0;
        }
      },
      op);
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.has(i)) cost.input_bytes += BytesOf(ctx.in(i));
  }
  for (const ValueType& out : ctx.outputs()) cost.output_bytes += BytesOf(out);
  return cost;
}

std::string FieldsToString(const Op& op) {
  FieldPrinter printer;
  Visit([&](const auto& o) { std::decay_t<decltype(o)>::Fields(o, printer); },
        op);
  return printer.text;
}

}  // namespace stint
