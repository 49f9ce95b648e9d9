#pragma once
// Model: a network with its weights and, where it has one, its tokenizer.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stint/preprocessing.h"
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

// Cheap to copy, and copies share everything; may be used from any thread.
// Never changes while it has a copy: a session that is given the only one takes
// its weights over.
class Model {
 public:
  // A .stint file. It is mapped, not read into memory, and must stay as it is
  // while the model lives. Foreign formats: ImportModel in stint/convert.h.
  static Result<Model> Open(const std::string& path);

  // `package` must not be null.
  explicit Model(std::shared_ptr<Package> package);

  const std::vector<ValueInfo>& inputs() const { return inputs_; }
  const std::vector<ValueInfo>& outputs() const { return outputs_; }
  // Weights are codes in a file, at several fidelities; sessions take budgets.
  bool is_elastic() const;
  // A model whose weights are all in memory: of an elastic one, float32 at the
  // highest fidelity; otherwise this one.
  Result<Model> Restored() const;
  bool takes_text() const;
  // Names of classes, by index; empty when the model does not say.
  const std::vector<std::string>& labels() const;
  // How pictures become its input, where the model says.
  const std::optional<Preprocessing>& preprocessing() const;
  // A listing of the graph, for people.
  std::string Dump() const;

  std::shared_ptr<const Package> package() const { return package_; }

 private:
  friend class Session;
  std::shared_ptr<Package> package_;
  std::vector<ValueInfo> inputs_;
  std::vector<ValueInfo> outputs_;
};

}  // namespace stint
