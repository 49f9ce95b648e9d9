#include "model/ops/linear/einsum.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "model/ops/cost.h"
#include "model/ops/input_checks.h"

namespace stint {
namespace {

// Labels are letters; dimension d of "...", counted from its right end, is
// kEllipsis + d.
constexpr int kEllipsis = 256;
using Term = std::vector<int>;

Status Malformed(const std::string& equation) {
  return InvalidArgument("equation '" + equation + "' is malformed");
}

// One term; "..." becomes `extra` labels.
Result<Term> ReadTerm(const std::string& equation, std::string_view text,
                      int extra) {
  Term term;
  bool has_ellipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("...") && !has_ellipsis) {
      has_ellipsis = true;
      i += 2;
      for (int d = extra - 1; d >= 0; --d) term.push_back(kEllipsis + d);
    } else if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      term.push_back(static_cast<unsigned char>(text[i]));
    } else {
      return Malformed(equation);
    }
  }
  return term;
}

// Dimensions that "..." stands for in a term of an input of that rank.
Result<int> ExtraDims(const std::string& equation, std::string_view text,
                      size_t rank) {
  const bool has_ellipsis = text.find("...") != std::string_view::npos;
  const size_t named = text.size() - (has_ellipsis ? 3 : 0);
  if (named > rank || (!has_ellipsis && named != rank)) {
    return InvalidArgument("term '" + std::string(text) + "' of equation '" +
                           equation + "' does not fit an input of rank " +
                           std::to_string(rank));
  }
  return static_cast<int>(rank - named);
}

std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  while (true) {
    const size_t comma = text.find(',');
    terms.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return terms;
    text.remove_prefix(comma + 1);
  }
}

// Labels that appear once, further dimensions first.
Term ImplicitOutput(const std::vector<Term>& inputs, int most_extra) {
  std::map<int, int> uses;
  for (const Term& term : inputs) {
    for (int label : term) ++uses[label];
  }
  Term output;
  for (int d = most_extra - 1; d >= 0; --d) output.push_back(kEllipsis + d);
  for (const auto& [label, count] : uses) {
    if (label < kEllipsis && count == 1) output.push_back(label);
  }
  return output;
}

struct Equation {
  std::vector<Term> inputs;
  Term output;
};

Result<Equation> ReadEquation(const std::string& equation,
                              const std::vector<Shape>& shapes) {
  std::string text = equation;
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  const size_t arrow = text.find("->");
  const auto terms = SplitTerms(std::string_view(text).substr(0, arrow));
  if (terms.size() != shapes.size()) {
    return InvalidArgument("equation '" + equation + "' has " +
                           std::to_string(terms.size()) + " terms for " +
                           std::to_string(shapes.size()) + " inputs");
  }
  Equation result;
  int most_extra = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    STINT_ASSIGN_OR_RETURN(
        const int extra, ExtraDims(equation, terms[i], shapes[i].size()));
    STINT_ASSIGN_OR_RETURN(Term term, ReadTerm(equation, terms[i], extra));
    if (term.size() != shapes[i].size()) return Malformed(equation);
    result.inputs.push_back(std::move(term));
    most_extra = std::max(most_extra, extra);
  }
  if (arrow == std::string::npos) {
    result.output = ImplicitOutput(result.inputs, most_extra);
    return result;
  }
  STINT_ASSIGN_OR_RETURN(
      result.output,
      ReadTerm(equation, std::string_view(text).substr(arrow + 2),
               most_extra));
  return result;
}

// The size of a label after it was seen with another one; further dimensions
// broadcast.
Result<int64_t> MergeSize(int label, int64_t size, int64_t seen) {
  if (label >= kEllipsis && size == 1) return seen;
  if (label >= kEllipsis && seen == 1) return size;
  if (!DimsDiffer(size, seen)) return IsKnown(seen) ? seen : size;
  return InvalidArgument("a label stands for " + std::to_string(seen) +
                         " and " + std::to_string(size) + " elements");
}

}  // namespace

Result<EinsumPlan> PlanEinsum(const std::string& equation,
                              const std::vector<Shape>& shapes) {
  STINT_ASSIGN_OR_RETURN(const Equation parsed,
                         ReadEquation(equation, shapes));
  EinsumPlan plan;
  std::map<int, size_t> index;
  for (int label : parsed.output) {
    if (!index.emplace(label, index.size()).second) return Malformed(equation);
  }
  plan.num_outputs = index.size();
  for (const Term& term : parsed.inputs) {
    for (int label : term) index.emplace(label, index.size());
  }
  std::vector<bool> seen(index.size(), false);
  plan.sizes.assign(index.size(), 1);
  for (size_t i = 0; i < shapes.size(); ++i) {
    std::vector<int64_t> strides(index.size(), 0);
    int64_t stride = 1;
    for (size_t d = shapes[i].size(); d-- > 0;) {
      const int label = parsed.inputs[i][d];
      const size_t l = index[label];
      const int64_t size = shapes[i][d];
      if (seen[l]) {
        STINT_ASSIGN_OR_RETURN(plan.sizes[l],
                               MergeSize(label, size, plan.sizes[l]));
      } else {
        plan.sizes[l] = size;
        seen[l] = true;
      }
      if (size != 1) strides[l] += stride;
      stride *= size;
    }
    plan.strides.push_back(std::move(strides));
  }
  for (size_t l = 0; l < plan.num_outputs; ++l) {
    if (!seen[l]) return Malformed(equation);
  }
  return plan;
}

namespace {

std::vector<Shape> InputShapes(const InferContext& ctx) {
  std::vector<Shape> shapes;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.Ranked({i})) shapes.push_back(ctx.in(i).dims);
  }
  return shapes;
}

}  // namespace

Status Infer(const Einsum& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(RequireInputs(ctx, {0}));
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    STINT_RETURN_IF_ERROR(RequireInputs(ctx, {i}));
    STINT_RETURN_IF_ERROR(RequireNumbers(ctx, {i}));
  }
  const DType dtype = ctx.in(0).dtype;
  ctx.SetOutputDType(0, dtype);
  const std::vector<Shape> shapes = InputShapes(ctx);
  if (static_cast<int>(shapes.size()) != ctx.num_inputs()) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const EinsumPlan plan,
                         PlanEinsum(op.equation, shapes));
  ctx.SetOutput(0, dtype, plan.OutputShape());
  return OkStatus();
}

int64_t Macs(const Einsum& op, const InferContext& ctx) {
  const auto plan = PlanEinsum(op.equation, InputShapes(ctx));
  return plan.ok() ? CountKnown(plan->sizes) : 0;
}

}  // namespace stint
