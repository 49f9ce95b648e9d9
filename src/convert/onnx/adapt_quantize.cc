#include "convert/onnx/adapters.h"
#include "convert/onnx/element_type.h"
#include "core/base/checked_math.h"
#include "core/tensor/element_access.h"

namespace stint::onnx {
namespace {

// An element type attribute; 0 means that it is left out.
Status ReadDType(NodeImport& n, std::string_view name,
                 std::optional<DType>* dtype) {
  const int64_t number = n.Int(name, 0);
  if (number == 0) return OkStatus();
  *dtype = DTypeFromOnnx(static_cast<int32_t>(number));
  if (*dtype) return OkStatus();
  return Unsupported("attribute '" + std::string(name) +
                     "' is element type number " + std::to_string(number));
}

Status QuantizeLinearAny(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(2));
  QuantizeLinear op;
  op.axis = n.Int("axis", op.axis);
  op.block_size = n.Int("block_size", 0);
  op.saturate = n.Int("saturate", 1);
  std::optional<DType> output, precision;
  STINT_RETURN_IF_ERROR(ReadDType(n, "output_dtype", &output));
  STINT_RETURN_IF_ERROR(ReadDType(n, "precision", &precision));
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  if (output) op.output_dtype = *output;
  ValueId x = n.in(0);
  ValueId scale = n.in(1);
  if (precision) {
    x = n.Emit(Cast{*precision}, {x});
    scale = n.Emit(Cast{*precision}, {scale});
  }
  n.EmitLast(op, {x, scale, n.in(2)});
  return OkStatus();
}

Status DequantizeLinearAny(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(2));
  DequantizeLinear op;
  op.axis = n.Int("axis", op.axis);
  op.block_size = n.Int("block_size", 0);
  std::optional<DType> output;
  STINT_RETURN_IF_ERROR(ReadDType(n, "output_dtype", &output));
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  if (output) {
    op.output_dtype = *output;
    op.output_dtype_of_scale = 0;
  }
  n.EmitLast(op, {n.in(0), n.in(1), n.in(2)});
  return OkStatus();
}

// Inputs at, at + 1, at + 2 are a value, its scale and its zero point.
ValueId Real(NodeImport& n, size_t at) {
  return n.Emit(DequantizeLinear{}, {n.in(at), n.in(at + 1), n.in(at + 2)});
}

// The output is `value` quantized by the scale and zero point at inputs at and
// at + 1; without a zero point to the type of input `like`.
Status EmitQuantized(NodeImport& n, ValueId value, size_t at, size_t like) {
  QuantizeLinear op;
  if (!n.in(at + 1).valid()) {
    const ValueType& type = n.graph()->value(n.in(like)).type;
    if (!type.typed) return Unsupported("an output type that is not known");
    op.output_dtype = type.dtype;
  }
  n.EmitLast(op, {value, n.in(at), n.in(at + 1)});
  return OkStatus();
}

Status QLinearBinary(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(2));
  if (!n.in(3).valid() || !n.in(4).valid() || !n.in(6).valid()) {
    return Damaged("an operand or a scale is missing");
  }
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  const bool adds = n.proto().op_type == "QLinearAdd";
  const ValueId a = Real(n, 0);
  const ValueId b = Real(n, 3);
  const ValueId c =
      n.Emit(Binary{adds ? BinaryKind::kAdd : BinaryKind::kMul}, {a, b});
  return EmitQuantized(n, c, 6, 0);
}

// Inputs x, x_scale, x_zero, y_scale, y_zero around an op on real numbers.
Status EmitAround(NodeImport& n, Op op) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(2));
  if (!n.in(3).valid()) return Damaged("the output's scale is missing");
  STINT_RETURN_IF_ERROR(n.FillFields(&op));
  if (n.Int("channels_last", 0) != 0) return Unsupported("channels_last");
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  const ValueId x = Real(n, 0);
  return EmitQuantized(n, n.Emit(std::move(op), {x}), 3, 0);
}

Status QLinearLeakyRelu(NodeImport& n) { return EmitAround(n, LeakyRelu{}); }
Status QLinearSigmoid(NodeImport& n) {
  return EmitAround(n, Unary{UnaryKind::kSigmoid});
}
Status QLinearAveragePool(NodeImport& n) {
  return EmitAround(n, AveragePool{});
}
Status QLinearGlobalAveragePool(NodeImport& n) {
  return EmitAround(n, GlobalAveragePool{});
}

// Inputs y_scale, y_zero, then x, x_scale, x_zero of every part.
Status QLinearConcat(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(4));
  Op op = Concat{};
  STINT_RETURN_IF_ERROR(n.FillFields(&op));
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  std::vector<ValueId> parts;
  for (size_t i = 2; i < n.inputs.size(); i += 3) {
    if (!n.in(i).valid() || !n.in(i + 1).valid()) {
      return Damaged("a part or its scale is missing");
    }
    parts.push_back(Real(n, i));
  }
  return EmitQuantized(n, n.Emit(std::move(op), parts), 0, 2);
}

// The output is product * scale_a * scale_b + bias (may be absent).
void EmitScaled(NodeImport& n, ValueId product, ValueId scale_a,
                ValueId scale_b, ValueId bias) {
  const ValueId real = n.Emit(Cast{DType::kFloat32}, {product});
  const Binary multiply{BinaryKind::kMul};
  const ValueId scale = n.Emit(multiply, {scale_a, scale_b});
  if (!bias.valid()) {
    n.EmitLast(multiply, {real, scale});
    return;
  }
  const ValueId scaled = n.Emit(multiply, {real, scale});
  n.EmitLast(Binary{BinaryKind::kAdd}, {scaled, bias});
}

// Inputs a (real), b, b_scale, b_zero (optional), bias (optional).
Status DynamicQuantizeMatMul(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(3));
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  Graph* graph = n.graph();
  std::vector<ValueId> a;
  for (const char* part : {"/a", "/a_scale", "/a_zero"}) {
    a.push_back(graph->AddValue(std::string(n.proto().name) + part));
  }
  graph->AddNode(std::string(n.proto().name) + "/quantize",
                 DynamicQuantizeLinear{}, {n.in(0)}, a);
  const ValueId product =
      n.Emit(MatMulInteger{}, {a[0], n.in(1), a[2], n.in(3)});
  EmitScaled(n, product, a[1], n.in(2), n.in(4));
  return OkStatus();
}

// Inputs a, b, a_scale, b_scale, a_zero, b_zero, bias; the last three optional.
Status MatMulIntegerToFloat(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(4));
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  const ValueId product =
      n.Emit(MatMulInteger{}, {n.in(0), n.in(1), n.in(4), n.in(5)});
  EmitScaled(n, product, n.in(2), n.in(3), n.in(6));
  return OkStatus();
}

// Weights of a MatMulNBits: for each of n columns, blocks of consecutive
// numbers of `bits` bits, least significant first, that share a scale.
struct PackedColumns {
  int64_t k, n, bits, block, blocks;

  int64_t BytesPerBlock() const { return CeilDiv(block * bits, 8); }
  int64_t ZeroBytesPerColumn() const { return CeilDiv(blocks * bits, 8); }
  // Number i of those packed from `bytes` on.
  int Unpack(const uint8_t* bytes, int64_t i) const {
    const int64_t bit = i * bits;
    return (bytes[bit / 8] >> (bit % 8)) & ((1 << bits) - 1);
  }
};

Result<PackedColumns> ReadPacking(NodeImport& n) {
  PackedColumns p{n.Int("K", 0), n.Int("N", 0), n.Int("bits", 4),
                  n.Int("block_size", 0), 0};
  constexpr int64_t kLimit = int64_t{1} << 28;
  if (p.k < 1 || p.n < 1 || p.block < 1 || p.k > kLimit || p.n > kLimit ||
      p.block > kLimit) {
    return Damaged("K, N and block_size must be positive");
  }
  if (p.bits != 2 && p.bits != 4 && p.bits != 8) {
    return Unsupported(std::to_string(p.bits) + " bits");
  }
  p.blocks = CeilDiv(p.k, p.block);
  return p;
}

// The zero point of each block, [n, blocks].
Result<std::vector<float>> ReadZeros(const PackedColumns& p,
                                     const Tensor* zeros) {
  std::vector<float> out(static_cast<size_t>(p.n * p.blocks),
                         static_cast<float>(1 << (p.bits - 1)));
  if (zeros == nullptr) return out;
  if (IsFloat(zeros->dtype()) && zeros->size() == p.n * p.blocks) {
    return ElementsAs<float>(*zeros);
  }
  if (zeros->dtype() != DType::kUInt8 ||
      zeros->size() != p.n * p.ZeroBytesPerColumn()) {
    return Damaged("zero points " + ToString(zeros->shape()) +
                   " do not fit N and the number of blocks");
  }
  for (int64_t j = 0; j < p.n; ++j) {
    const uint8_t* bytes =
        zeros->data<uint8_t>() + j * p.ZeroBytesPerColumn();
    for (int64_t b = 0; b < p.blocks; ++b) {
      out[j * p.blocks + b] = static_cast<float>(p.Unpack(bytes, b));
    }
  }
  return out;
}

// The weights as a matrix [k, n] of the scales' type.
Result<Tensor> UnpackWeights(const PackedColumns& p, const Tensor& packed,
                             const Tensor& scales, const Tensor* zeros) {
  if (packed.dtype() != DType::kUInt8 ||
      packed.size() != p.n * p.blocks * p.BytesPerBlock() ||
      !IsFloat(scales.dtype()) || scales.size() != p.n * p.blocks) {
    return Damaged("weights " + ToString(packed.shape()) + " and scales " +
                   ToString(scales.shape()) +
                   " do not fit K, N, bits and block_size");
  }
  STINT_ASSIGN_OR_RETURN(const auto zero, ReadZeros(p, zeros));
  const std::vector<float> scale = ElementsAs<float>(scales);
  STINT_ASSIGN_OR_RETURN(Tensor out,
                         Tensor::Allocate(scales.dtype(), {p.k, p.n}));
  std::vector<float> row(static_cast<size_t>(p.n));
  for (int64_t i = 0; i < p.k; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      const int64_t b = j * p.blocks + i / p.block;
      const int code = p.Unpack(
          packed.data<uint8_t>() + b * p.BytesPerBlock(), i % p.block);
      row[j] = (static_cast<float>(code) - zero[b]) * scale[b];
    }
    StoreElements<float>(row.data(), i * p.n, p.n, &out);
  }
  return out;
}

Status MatMulNBits(NodeImport& n) {
  STINT_RETURN_IF_ERROR(n.RequireInputs(3));
  STINT_ASSIGN_OR_RETURN(const PackedColumns packing, ReadPacking(n));
  n.Int("accuracy_level", 0);
  STINT_RETURN_IF_ERROR(n.CheckAllAttributesRead());
  const Tensor* packed = n.ConstantInput(1);
  const Tensor* scales = n.ConstantInput(2);
  const Tensor* zeros = n.ConstantInput(3);
  if (packed == nullptr || scales == nullptr ||
      (n.in(3).valid() && zeros == nullptr)) {
    return Unsupported("weights that are not constant");
  }
  if (n.in(4).valid()) return Unsupported("g_idx");
  STINT_ASSIGN_OR_RETURN(Tensor weights,
                         UnpackWeights(packing, *packed, *scales, zeros));
  const ValueId b = n.Constant(std::move(weights));
  if (!n.in(5).valid()) {
    n.EmitLast(MatMul{}, {n.in(0), b});
    return OkStatus();
  }
  const ValueId product = n.Emit(MatMul{}, {n.in(0), b});
  n.EmitLast(Binary{BinaryKind::kAdd}, {product, n.in(5)});
  return OkStatus();
}

constexpr std::string_view kMs = "com.microsoft";
constexpr AdapterRow kRows[] = {
    {"", "QuantizeLinear", 1, kAnyVersion, QuantizeLinearAny},
    {"", "DequantizeLinear", 1, kAnyVersion, DequantizeLinearAny},
    {kMs, "QuantizeLinear", 0, kAnyVersion, QuantizeLinearAny},
    {kMs, "DequantizeLinear", 0, kAnyVersion, DequantizeLinearAny},
    {kMs, "QLinearAdd", 0, kAnyVersion, QLinearBinary},
    {kMs, "QLinearMul", 0, kAnyVersion, QLinearBinary},
    {kMs, "QLinearLeakyRelu", 0, kAnyVersion, QLinearLeakyRelu},
    {kMs, "QLinearSigmoid", 0, kAnyVersion, QLinearSigmoid},
    {kMs, "QLinearAveragePool", 0, kAnyVersion, QLinearAveragePool},
    {kMs, "QLinearGlobalAveragePool", 0, kAnyVersion,
     QLinearGlobalAveragePool},
    {kMs, "QLinearConcat", 0, kAnyVersion, QLinearConcat},
    {kMs, "DynamicQuantizeMatMul", 0, kAnyVersion, DynamicQuantizeMatMul},
    {kMs, "MatMulIntegerToFloat", 0, kAnyVersion, MatMulIntegerToFloat},
    {kMs, "MatMulNBits", 0, kAnyVersion, MatMulNBits},
};

}  // namespace

std::span<const AdapterRow> QuantizeAdapters() { return kRows; }

}  // namespace stint::onnx
