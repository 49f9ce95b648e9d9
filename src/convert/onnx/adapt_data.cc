// Ops whose results depend on data or on chance: selection, scattering,
// sequences, signals, random numbers.

#include "convert/onnx/adapters.h"

namespace stint::onnx {
namespace {

Status TopKVersion1(NodeImport& n) {
  n.SetInput(1, n.ConstantInts({n.Int("k", 0)}));
  return n.EmitDefault(TopK{});
}

Status ScatterVersion9(NodeImport& n) {
  if (n.version() != 9) return Unsupported("the operator is deprecated");
  return n.EmitDefault(ScatterElements{});
}

Status DftVersion17(NodeImport& n) {
  const int64_t axis = n.Int("axis", 1);
  n.SetInput(2, n.Constant(Tensor::Scalar<int64_t>(axis)));
  return n.EmitDefault(DFT{});
}

// The attribute says the type of an optional that holds nothing.
Status OptionalAny(NodeImport& n) {
  n.Has("type");
  return n.EmitDefault(MakeOptional{});
}

// Lower and upper case of these languages differ from everybody else's.
Status StringNormalizerAny(NodeImport& n) {
  const std::string locale = n.String("locale", "");
  for (const char* language : {"tr", "az", "lt"}) {
    if (locale.starts_with(language)) {
      return Unsupported("locale '" + locale + "'");
    }
  }
  return n.EmitDefault(StringNormalizer{});
}

// FNV-1a of the node's name, so that nodes without a seed differ.
float SeedOf(NodeImport& n) {
  uint32_t hash = 2166136261u;
  for (char c : n.graph()->value(n.outputs[0]).name) {
    hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u;
  }
  return static_cast<float>(hash >> 8);
}

// Without dtype the output has the input's element type.
template <typename T>
Status RandomLike(NodeImport& n) {
  T op;
  if (n.outputs.empty() || !n.outputs[0].valid()) {
    return InvalidArgument("no output");
  }
  if (!n.Has("dtype") && n.in(0).valid()) {
    const ValueType& type = n.graph()->value(n.in(0)).type;
    if (!type.typed) return Unsupported("an input of unknown element type");
    op.dtype = type.dtype;
  }
  op.seed = SeedOf(n);
  return n.EmitDefault(op);
}

template <typename T>
Status RandomOf(NodeImport& n) {
  T op;
  if (n.outputs.empty() || !n.outputs[0].valid()) {
    return InvalidArgument("no output");
  }
  op.seed = SeedOf(n);
  return n.EmitDefault(op);
}

constexpr AdapterRow kRows[] = {
    {"", "TopK", 1, 1, TopKVersion1},
    {"", "Scatter", 9, kAnyVersion, ScatterVersion9},
    {"", "DFT", 17, 17, DftVersion17},
    {"", "Optional", 1, kAnyVersion, OptionalAny},
    {"", "StringNormalizer", 1, kAnyVersion, StringNormalizerAny},
    {"", "RandomNormal", 1, kAnyVersion, RandomOf<RandomNormal>},
    {"", "RandomUniform", 1, kAnyVersion, RandomOf<RandomUniform>},
    {"", "RandomNormalLike", 1, kAnyVersion, RandomLike<RandomNormalLike>},
    {"", "RandomUniformLike", 1, kAnyVersion, RandomLike<RandomUniformLike>},
    {"", "Bernoulli", 1, kAnyVersion, RandomLike<Bernoulli>},
    {"", "Multinomial", 1, kAnyVersion, RandomOf<Multinomial>},
};

}  // namespace

std::span<const AdapterRow> DataAdapters() { return kRows; }

}  // namespace stint::onnx
