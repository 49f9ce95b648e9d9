#include <algorithm>
#include <cctype>
#include <optional>

#include "model/ops/recurrent/recurrent.h"

namespace stint {
namespace {

using Kind = GateActivation::Kind;

// An activation's numbers: whether it takes them, and what they are when they
// are not given (nothing: they must be).
struct Row {
  std::string_view name;  // in lower case
  Kind kind;
  bool takes_alpha, takes_beta;
  std::optional<float> alpha, beta;
};

const Row kRows[] = {
    {"affine", Kind::kAffine, true, true, {}, {}},
    {"elu", Kind::kElu, true, false, 1.0f, {}},
    {"hardsigmoid", Kind::kHardSigmoid, true, true, 0.2f, 0.5f},
    {"leakyrelu", Kind::kLeakyRelu, true, false, 0.01f, {}},
    {"relu", Kind::kRelu, false, false, {}, {}},
    {"scaledtanh", Kind::kScaledTanh, true, true, {}, {}},
    {"sigmoid", Kind::kSigmoid, false, false, {}, {}},
    {"softplus", Kind::kSoftplus, false, false, {}, {}},
    {"softsign", Kind::kSoftsign, false, false, {}, {}},
    {"tanh", Kind::kTanh, false, false, {}, {}},
    {"thresholdedrelu", Kind::kThresholdedRelu, true, false, 1.0f, {}},
};

const Row* FindRow(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  for (const Row& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// The next number, or the usual one when none is left.
Result<float> Take(const std::vector<float>& numbers, size_t* next,
                   std::optional<float> usual, const std::string& name) {
  if (*next < numbers.size()) return numbers[(*next)++];
  if (usual) return *usual;
  return InvalidArgument("activation '" + name +
                         "' needs activation_alpha and activation_beta");
}

}  // namespace

Result<std::vector<GateActivation>> ReadGateActivations(
    const std::vector<std::string>& given, const std::vector<float>& alphas,
    const std::vector<float>& betas, const std::vector<std::string>& usual,
    int64_t directions) {
  std::vector<std::string> names = given;
  const size_t count = usual.size() * static_cast<size_t>(directions);
  // RNN lists two by default; a single direction uses the first.
  if (names.size() > count) names.resize(count);
  if (names.empty()) {
    for (int64_t d = 0; d < directions; ++d) {
      names.insert(names.end(), usual.begin(), usual.end());
    }
  }
  if (names.size() != count) {
    return InvalidArgument(std::to_string(names.size()) +
                           " activations, expected " + std::to_string(count));
  }
  std::vector<GateActivation> out;
  size_t next_alpha = 0;
  size_t next_beta = 0;
  for (const std::string& name : names) {
    const Row* row = FindRow(name);
    if (row == nullptr) return Unsupported("activation '" + name + "'");
    GateActivation activation{row->kind};
    if (row->takes_alpha) {
      STINT_ASSIGN_OR_RETURN(activation.alpha,
                             Take(alphas, &next_alpha, row->alpha, name));
    }
    if (row->takes_beta) {
      STINT_ASSIGN_OR_RETURN(activation.beta,
                             Take(betas, &next_beta, row->beta, name));
    }
    out.push_back(activation);
  }
  return out;
}

}  // namespace stint
