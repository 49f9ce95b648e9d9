#include "model/ops/strings/strings.h"

#include <algorithm>

#include "model/ops/input_checks.h"

namespace stint {

Status Infer(const StringNormalizer& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kString}));
  if (op.case_change_action != "NONE" && op.case_change_action != "LOWER" &&
      op.case_change_action != "UPPER") {
    return InvalidArgument("case_change_action '" + op.case_change_action +
                           "'");
  }
  ctx.SetOutputDType(0, DType::kString);
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  if (x.size() == 1) {
    ctx.SetOutput(0, DType::kString, {kUnknownDim});
  } else if (x.size() == 2 && (!IsKnown(x[0]) || x[0] == 1)) {
    ctx.SetOutput(0, DType::kString, {1, kUnknownDim});
  } else {
    return InvalidArgument("input " + ToString(x) + ", expected [c] or [1,c]");
  }
  return OkStatus();
}

Status Infer(const StringConcat&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(
      ExpectInputs(ctx, {Accepts::kString, Accepts::kString}));
  ctx.SetOutputDType(0, DType::kString);
  if (!ctx.Ranked({0, 1})) return OkStatus();
  STINT_ASSIGN_OR_RETURN(Shape out,
                         BroadcastShapes(ctx.in(0).dims, ctx.in(1).dims));
  ctx.SetOutput(0, DType::kString, std::move(out));
  return OkStatus();
}

Status Infer(const StringSplit&, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(ctx, {Accepts::kString}));
  ctx.SetOutputDType(0, DType::kString);
  ctx.SetOutputDType(1, DType::kInt64);
  if (!ctx.Ranked({0})) return OkStatus();
  Shape parts = ctx.in(0).dims;
  parts.push_back(kUnknownDim);
  ctx.SetOutput(0, DType::kString, std::move(parts));
  ctx.SetOutput(1, DType::kInt64, ctx.in(0).dims);
  return OkStatus();
}

namespace {

// Output columns beyond this are errors of a file, not vocabularies.
constexpr int64_t kMaxColumns = int64_t{1} << 32;

Status CheckVocabulary(const TfIdfVectorizer& op) {
  const bool strings = !op.pool_strings.empty();
  const int64_t pool = static_cast<int64_t>(strings ? op.pool_strings.size()
                                                    : op.pool_int64s.size());
  if (strings && !op.pool_int64s.empty()) {
    return InvalidArgument("two pools of n-grams");
  }
  if (op.mode != "TF" && op.mode != "IDF" && op.mode != "TFIDF") {
    return InvalidArgument("mode '" + op.mode + "'");
  }
  if (op.min_gram_length < 1 || op.max_gram_length < op.min_gram_length ||
      op.max_skip_count < 0) {
    return InvalidArgument("n-gram lengths or skips out of range");
  }
  if (op.max_gram_length > static_cast<int64_t>(op.ngram_counts.size())) {
    return InvalidArgument("no n-grams of the longest length");
  }
  int64_t grams = 0;
  for (size_t i = 0; i < op.ngram_counts.size(); ++i) {
    const int64_t begin = op.ngram_counts[i];
    const int64_t end =
        i + 1 < op.ngram_counts.size() ? op.ngram_counts[i + 1] : pool;
    const int64_t length = static_cast<int64_t>(i) + 1;
    if (begin < 0 || begin > end || end > pool || (end - begin) % length != 0) {
      return InvalidArgument("ngram_counts do not divide the pool");
    }
    grams += (end - begin) / length;
  }
  if (grams != static_cast<int64_t>(op.ngram_indexes.size())) {
    return InvalidArgument(std::to_string(op.ngram_indexes.size()) +
                           " indexes for " + std::to_string(grams) +
                           " n-grams");
  }
  return OkStatus();
}

}  // namespace

Status Infer(const TfIdfVectorizer& op, InferContext& ctx) {
  STINT_RETURN_IF_ERROR(ExpectInputs(
      ctx, {op.pool_strings.empty() ? Accepts::kInteger : Accepts::kString}));
  STINT_RETURN_IF_ERROR(CheckVocabulary(op));
  int64_t columns = 0;
  for (int64_t index : op.ngram_indexes) {
    if (index < 0 || index >= kMaxColumns) {
      return InvalidArgument("ngram index " + std::to_string(index));
    }
    columns = std::max(columns, index + 1);
  }
  if (!op.weights.empty() &&
      static_cast<int64_t>(op.weights.size()) < columns) {
    return InvalidArgument(std::to_string(op.weights.size()) + " weights for " +
                           std::to_string(columns) + " columns");
  }
  ctx.SetOutputDType(0, DType::kFloat32);
  if (!ctx.Ranked({0})) return OkStatus();
  const Shape& x = ctx.in(0).dims;
  if (x.size() > 2) return InvalidArgument("input " + ToString(x));
  ctx.SetOutput(0, DType::kFloat32,
                x.size() == 2 ? Shape{x[0], columns} : Shape{columns});
  return OkStatus();
}

}  // namespace stint
