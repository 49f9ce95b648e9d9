#include "lab/networks/network_builder.h"

#include <cmath>

#include "core/base/check.h"

namespace stint {
namespace {

constexpr double kBiasDeviation = 0.01;

}  // namespace

Tensor NetworkBuilder::Normal(Shape shape, double deviation) {
  auto tensor = Tensor::Allocate(DType::kFloat32, std::move(shape));
  STINT_CHECK(tensor.ok());
  for (int64_t i = 0; i < tensor->size(); ++i) {
    tensor->data<float>()[i] =
        static_cast<float>(deviation * random_.NextNormal());
  }
  return std::move(*tensor);
}

std::string NetworkBuilder::Name(const char* op) {
  return std::string(op) + "_" + std::to_string(count_++);
}

ValueId NetworkBuilder::Weight(Shape shape, double deviation) {
  return graph_->AddConstant(Name("weight"),
                             Normal(std::move(shape), deviation));
}

ValueId NetworkBuilder::Picture(int64_t size) {
  return graph_->AddInput(
      "input",
      ValueType::Of(DType::kFloat32, {graph_->Symbol("batch"), 3, size, size}));
}

ValueId NetworkBuilder::Conv(ValueId x, const Convolution& c) {
  const int64_t in = c.in / c.groups;
  const auto fan_in = static_cast<double>(in * c.kernel * c.kernel);
  stint::Conv op;
  op.group = c.groups;
  op.kernel_shape = {c.kernel, c.kernel};
  op.pads = std::vector<int64_t>(4, c.kernel / 2);
  op.strides = {c.stride, c.stride};
  op.dilations = {1, 1};
  return graph_->Add(
      Name("conv"), op,
      {x, Weight({c.out, in, c.kernel, c.kernel}, std::sqrt(c.gain / fan_in)),
       Weight({c.out}, kBiasDeviation)});
}

ValueId NetworkBuilder::Relu(ValueId x) {
  return graph_->Add(Name("relu"), Unary{UnaryKind::kRelu}, {x});
}

ValueId NetworkBuilder::Relu6(ValueId x) {
  const ValueId low = graph_->AddConstant(Name("low"), Tensor::Scalar(0.0f));
  const ValueId high = graph_->AddConstant(Name("high"), Tensor::Scalar(6.0f));
  return graph_->Add(Name("clip"), Clip{}, {x, low, high});
}

ValueId NetworkBuilder::Sum(ValueId a, ValueId b) {
  return graph_->Add(Name("add"), Binary{BinaryKind::kAdd}, {a, b});
}

ValueId NetworkBuilder::MaxPool3x3(ValueId x) {
  MaxPool op;
  op.kernel_shape = {3, 3};
  op.strides = {2, 2};
  op.pads = {1, 1, 1, 1};
  return graph_->Add(Name("pool"), op, {x});
}

void NetworkBuilder::Classifier(ValueId x, int64_t features, int64_t classes) {
  const ValueId mean = graph_->Add(Name("mean"), GlobalAveragePool{}, {x});
  const ValueId flat = graph_->Add(Name("flatten"), Flatten{}, {mean});
  Gemm op;
  op.transB = 1;
  const ValueId logits =
      graph_->Add(Name("linear"), op,
                  {flat,
                   Weight({classes, features},
                          std::sqrt(1 / static_cast<double>(features))),
                   Weight({classes}, kBiasDeviation)});
  graph_->value(logits).name = "logits";
  graph_->MarkOutput(logits);
}

}  // namespace stint
