#include "engine/choose/sparse_choice.h"

#include <cstdio>

#include "engine/choose/conv_choice.h"
#include "engine/device/sparse_costs.h"

namespace stint {
namespace {

// Multiplications that a dense kernel does in the time of one of SparseWork:
// conv_sparse_f32_bench, AVX-512 of Zen 4. Winograd needs less than half.
constexpr double kDenseWork = 0.9;
constexpr double kWinogradWork = 0.38;

// By what was measured of the layer.
std::optional<SparseChoice> ByTimes(const ConvF32Shape& shape,
                                    const SparseQuery& query,
                                    const KernelSite& site) {
  const auto* costs = MeasuredConv(shape, query.input, site);
  if (costs == nullptr) return std::nullopt;
  const auto dense = FastestDense(*costs);
  SparseChoice choice{0, ConvReason::kMeasured};
  choice.rule = SparseRule::kMeasured;
  choice.dense_cost = dense ? dense->us : 0;
  double least = choice.dense_cost;
  bool known = false;
  for (int rows : kSparseRows) {
    const auto sparse =
        FastestSparse(*costs, rows, SparseShare(shape, query.w, rows));
    if (!sparse) continue;
    if (!known || sparse->us < choice.sparse_cost) {
      choice.sparse_cost = sparse->us;
    }
    known = true;
    if ((!dense && choice.rows == 0) || sparse->us < least) {
      least = sparse->us;
      choice.rows = rows;
      choice.gather = sparse->gather;
    }
  }
  return known ? std::optional(choice) : std::nullopt;
}

// By numbers of multiplications.
SparseChoice ByWork(const ConvF32Shape& shape, const SparseQuery& query,
                    const KernelSite& site) {
  const SparseWork work =
      CheapestSparseRows(shape, query.w, PickConvSparseF32(site.isa).block);
  if (const auto gather = SparseGatherNamed(site.primitive)) {
    return {work.rows, ConvReason::kForced, gather, SparseRule::kAskedFor};
  }
  const auto weights = static_cast<double>(shape.out_channels *
                                           shape.in_channels * shape.taps());
  const ConvChoice dense = ChooseConv(shape, query.input, site);
  const bool winograd =
      dense.kernel != nullptr && dense.kernel->winograd != nullptr;
  SparseChoice choice;
  choice.rule = SparseRule::kWork;
  choice.sparse_cost = work.weights;
  choice.dense_cost = weights * (winograd ? kWinogradWork : kDenseWork);
  if (choice.sparse_cost < choice.dense_cost) choice.rows = work.rows;
  return choice;
}

std::string Compare(const SparseChoice& choice) {
  char text[96];
  const bool times = choice.rule == SparseRule::kMeasured;
  std::snprintf(text, sizeof(text),
                times ? "%.1f us sparse, %.1f us dense"
                      : "%.3g multiplications sparse, as many as %.3g dense",
                choice.sparse_cost, choice.dense_cost);
  return text;
}

std::string WhyNotSparse(const SparseChoice& choice) {
  switch (choice.rule) {
    case SparseRule::kNoForm:
      return "does not compute this layer";
    case SparseRule::kGated:
      return "does not multiply weights by a gate";
    case SparseRule::kOtherAskedFor:
      return "another primitive is asked for";
    case SparseRule::kPackedDense:
      return "the weights are packed for dense kernels";
    case SparseRule::kFewZeros:
      return "too few weights are 0";
    case SparseRule::kMeasured:
      return "slower with these weights: " + Compare(choice);
    case SparseRule::kWork:
      return "more work with these weights: " + Compare(choice);
    case SparseRule::kAskedFor:
    case SparseRule::kPacked:
      break;
  }
  return "";
}

}  // namespace

bool AllowsSparse(const KernelSite& site) {
  return site.primitive.empty() || IsSparsePrimitive(site.primitive);
}

SparseChoice ChooseSparse(const SparseQuery& query, const KernelSite& site) {
  if (!AllowsSparse(site)) return {.rule = SparseRule::kOtherAskedFor};
  if (query.weights.groups != 1) return {.rule = SparseRule::kNoForm};
  if (query.w == nullptr) return {.rule = SparseRule::kPackedDense};
  const ConvF32Shape& s = query.weights;
  const auto count =
      static_cast<size_t>(s.out_channels * s.in_channels * s.taps());
  if (site.primitive.empty() && !MayBeSparse({query.w, count})) {
    return {.rule = SparseRule::kFewZeros};
  }
  const ConvF32Shape shape = query.images.value_or(query.weights);
  if (site.primitive.empty()) {
    if (const auto choice = ByTimes(shape, query, site)) return *choice;
  }
  return ByWork(shape, query, site);
}

SparseChoice ChoosePackedSparse(const SparseQuery& query, int rows,
                                double share, const KernelSite& site) {
  if (const auto forced = SparseGatherNamed(site.primitive)) {
    return {rows, ConvReason::kForced, *forced, SparseRule::kAskedFor};
  }
  SparseChoice choice{rows};
  choice.rule = SparseRule::kPacked;
  const auto* costs =
      query.images ? MeasuredConv(*query.images, query.input, site) : nullptr;
  if (costs == nullptr) return choice;
  const auto fastest = FastestSparse(*costs, rows, share);
  if (!fastest) return choice;
  choice.reason = ConvReason::kMeasured;
  choice.gather = fastest->gather;
  choice.sparse_cost = fastest->us;
  return choice;
}

KernelCandidate SparseCandidate(const SparseChoice& choice, Isa isa) {
  KernelCandidate candidate{PickConvSparseF32(isa).name};
  const bool times = choice.rule == SparseRule::kMeasured ||
                     choice.rule == SparseRule::kPacked;
  if (times) candidate.us = choice.sparse_cost;
  if (choice.rows == 0) candidate.refused = WhyNotSparse(choice);
  return candidate;
}

std::string WhySparse(const SparseChoice& choice) {
  switch (choice.rule) {
    case SparseRule::kMeasured:
      return "skipping weights that are 0 is faster: " + Compare(choice);
    case SparseRule::kWork:
      return "skipping weights that are 0 is less work: " + Compare(choice);
    case SparseRule::kAskedFor:
      return "a primitive that skips weights that are 0 is asked for";
    default:
      return "the weights are packed without those that are 0";
  }
}

}  // namespace stint
