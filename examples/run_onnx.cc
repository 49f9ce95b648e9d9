// Runs an ONNX model on inputs of ones and prints what comes out.
// Usage: run_onnx MODEL.onnx

#include <stint/convert.h>
#include <stint/stint.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: run_onnx MODEL.onnx\n");
    return 2;
  }
  auto model = stint::ImportModel(argv[1]);
  if (!model.ok()) {
    std::fprintf(stderr, "run_onnx: %s\n", model.status().message().c_str());
    return 1;
  }
  auto session = stint::Session::Create(std::move(*model));
  if (!session.ok()) {
    std::fprintf(stderr, "run_onnx: %s\n", session.status().message().c_str());
    return 1;
  }
  std::vector<stint::NamedValue> inputs;
  for (const stint::ValueInfo& info : session->model_info().inputs) {
    stint::Shape shape = info.shape;
    for (int64_t& dim : shape) dim = dim < 0 ? 1 : dim;
    auto tensor = stint::Tensor::Allocate(info.dtype, shape);
    if (!tensor.ok()) return 1;
    if (info.dtype == stint::DType::kFloat32) {
      std::fill_n(tensor->data<float>(), tensor->size(), 1.0f);
    }
    inputs.push_back({info.name, *tensor});
  }
  const auto outputs = session->Run(inputs);
  if (!outputs.ok()) {
    std::fprintf(stderr, "run_onnx: %s\n", outputs.status().message().c_str());
    return 1;
  }
  for (const stint::NamedValue& output : *outputs) {
    const stint::Tensor& tensor = output.value.tensor();
    std::printf("%s: %s%s\n", output.name.c_str(),
                std::string(stint::DTypeName(tensor.dtype())).c_str(),
                stint::ToString(tensor.shape()).c_str());
  }
  return 0;
}
