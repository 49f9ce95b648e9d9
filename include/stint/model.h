#pragma once
// Model: a network with its weights and, where it has one, its tokenizer.

#include <memory>
#include <string>
#include <vector>

#include "stint/status.h"
#include "stint/tensor.h"

namespace stint {

struct Package;

// An input or output. Dimensions that vary are -1, with their names (such as
// "batch") in `dim_names`; fixed ones have an empty name.
struct ValueInfo {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<std::string> dim_names;
};

// Immutable and cheap to copy; may be used from any thread.
class Model {
 public:
  // `package` must not be null. Use ImportModel (stint/convert.h) to get one.
  explicit Model(std::shared_ptr<const Package> package);

  const std::vector<ValueInfo>& inputs() const { return inputs_; }
  const std::vector<ValueInfo>& outputs() const { return outputs_; }
  bool takes_text() const;
  // Names of classes, by index; empty when the model does not say.
  const std::vector<std::string>& labels() const;
  // A listing of the graph, for people.
  std::string Dump() const;

  const std::shared_ptr<const Package>& package() const { return package_; }

 private:
  std::shared_ptr<const Package> package_;
  std::vector<ValueInfo> inputs_;
  std::vector<ValueInfo> outputs_;
};

}  // namespace stint
