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

// What a model takes and gives, and what is known of its data.
struct ModelInfo {
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  // Weights are codes in a file, at several fidelities; sessions take budgets.
  bool elastic = false;
  bool takes_text = false;
  int64_t max_tokens = 0;           // of a text; 0: not stated
  std::vector<std::string> labels;  // of classes, by index; may be empty
  std::optional<Preprocessing> preprocessing;  // of pictures, where stated
};

// Cheap to copy: copies share the weights, and none ever changes. May be used
// from any thread. Weights are freed with the last model or session that holds
// them; a session that is made from an rvalue frees what its kernels have
// packed (Session::Create).
class Model {
 public:
  // A .stint file. It is mapped, not read into memory, and must stay as it is
  // while the model lives. Foreign formats: ImportModel in stint/convert.h.
  static Result<Model> Open(const std::string& path);

  // `package` must not be null.
  explicit Model(std::shared_ptr<Package> package);

  const ModelInfo& info() const { return info_; }
  const std::vector<ValueInfo>& inputs() const { return info_.inputs; }
  const std::vector<ValueInfo>& outputs() const { return info_.outputs; }
  bool is_elastic() const { return info_.elastic; }
  bool takes_text() const { return info_.takes_text; }
  const std::vector<std::string>& labels() const { return info_.labels; }
  const std::optional<Preprocessing>& preprocessing() const {
    return info_.preprocessing;
  }
  // A model whose weights are all in memory: of an elastic one, float32 at the
  // highest fidelity; otherwise this one.
  Result<Model> Restored() const;
  // A listing of the graph, for people.
  std::string Dump() const;

  std::shared_ptr<const Package> package() const { return package_; }

 private:
  friend class Session;
  // This one, if it is the only holder of its weights, else a copy with a graph
  // of its own; the elements of weights are shared.
  Model Detached() &&;

  std::shared_ptr<Package> package_;
  ModelInfo info_;
};

}  // namespace stint
