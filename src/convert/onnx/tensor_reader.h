#pragma once
// Tensors and values from ONNX messages.

#include <map>
#include <memory>
#include <string>

#include "convert/onnx/proto.h"
#include "core/platform/file.h"
#include "stint/tensor.h"

namespace stint::onnx {

// Reads tensors of one model file. Raw data is borrowed from the mapped file
// where its alignment allows; external files are mapped once each.
class TensorReader {
 public:
  // `folder` is where external data lives; `owner` keeps the views alive, or is
  // null when they end before the tensors do.
  TensorReader(std::string folder, std::shared_ptr<const MappedFile> owner)
      : folder_(std::move(folder)), owner_(std::move(owner)) {}

  // Errors name the tensor, what was expected and what was found.
  Result<Tensor> Read(const TensorProto& proto);
  Result<Tensor> ReadSparse(const SparseTensorProto& proto);

 private:
  Result<std::string_view> ExternalBytes(
      const TensorProto& proto, std::shared_ptr<const MappedFile>* owner);

  std::string folder_;
  std::shared_ptr<const MappedFile> owner_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

// A value of a test case (input_0.pb), whose kind the model's type decides.
Result<Value> ReadValueFile(const std::string& path, const TypeProto& type);

// A tensor file (.pb).
Result<Tensor> ReadTensorFile(const std::string& path);

}  // namespace stint::onnx
