#include "engine/choose/linear_choice.h"

#include "engine/choose/conv_choice.h"
#include "engine/choose/table_candidates.h"
#include "kernels/gemm_bf16/gemm_bf16_table.h"
#include "kernels/gemm_codes/gemm_codes.h"
#include "kernels/gemm_f32/gemm_f32_table.h"
#include "kernels/gemm_s8/gemm_s8.h"

namespace stint {
namespace {

// Multiplications that a dense product does in the time of one of SparseWork
// (conv_sparse_f32_bench, AVX-512 of Zen 4).
constexpr double kDenseWork = 0.9;

// Sums of more products than int32 can hold are done in float32.
LinearForm DenseForm(int64_t k, const KernelSite& site) {
  switch (site.precision) {
    case Precision::kFloat32:
    case Precision::kCodes:  // a site has one of the other three
    case Precision::kAuto:
      break;
    case Precision::kBFloat16:
      return LinearForm::kBFloat16;
    case Precision::kInt8:
      return k > kGemmS8MaxK ? LinearForm::kFloat32 : LinearForm::kInt8;
  }
  return LinearForm::kFloat32;
}

SparseChoice ChooseSparseLinear(const LinearQuery& query,
                                const KernelSite& site) {
  if (!AllowsSparse(site)) return {.rule = SparseRule::kOtherAskedFor};
  const int64_t block = PickConvSparseF32(site.isa).block;
  if (query.k % block != 0 || query.n % block != 0) {
    return {.rule = SparseRule::kNoForm};
  }
  const auto count = static_cast<size_t>(query.k * query.n);
  if (site.primitive.empty() && !MayBeSparse({query.w, count})) {
    return {.rule = SparseRule::kFewZeros};
  }
  if (!ConvSparseSupports(LinearAsConv(query.k, query.n, kSparseRowsAtOnce))) {
    return {.rule = SparseRule::kNoForm};
  }
  SparseChoice choice;
  if (IsSparsePrimitive(site.primitive)) {
    choice.rows = 1;
    choice.rule = SparseRule::kAskedFor;
    return choice;
  }
  const SparseWork work = CheapestSparseRows(LinearAsConv(query.k, query.n, 1),
                                             WeightsByOutput(query).data(),
                                             static_cast<int>(block));
  choice.rule = SparseRule::kWork;
  choice.sparse_cost = work.weights;
  choice.dense_cost = kDenseWork * static_cast<double>(query.k * query.n);
  if (choice.sparse_cost < choice.dense_cost) choice.rows = work.rows;
  return choice;
}

// The product that each form runs on, as candidates of its table.
template <typename Row>
std::vector<KernelCandidate> Products(const std::string& family,
                                      std::span<const Row> table,
                                      const Row& best, Isa isa) {
  return TableCandidates(family, table, isa, &best,
                         [](const Row&) { return true; });
}

std::string RuleOf(const LinearChoice& choice) {
  switch (choice.form) {
    case LinearForm::kSparse:
      return WhySparse(choice.sparse);
    case LinearForm::kCodes:
      return "its weights are bit planes, which come with the run";
    case LinearForm::kFloat32:
      if (choice.precision == Precision::kInt8) {
        return "sums of so many products do not fit 32 bits";
      }
      break;
    default:
      break;
  }
  return "precision " + std::string(PrecisionName(choice.precision)) +
         ": the first of the table";
}

// What speaks against every other form.
std::string WhyNotOthers(const LinearChoice& choice) {
  const bool narrow =
      choice.form == LinearForm::kBFloat16 || choice.form == LinearForm::kInt8;
  const bool as_asked = choice.form == LinearForm::kFloat32 &&
                        choice.precision == Precision::kFloat32;
  if (!narrow && !as_asked) return RuleOf(choice);
  return "precision " + std::string(PrecisionName(choice.precision)) +
         " is asked for";
}

void Add(LinearForm form, const LinearChoice& choice, const std::string& why,
         std::vector<KernelCandidate> candidates, KernelChoice* explained) {
  if (form == choice.form) {
    for (const KernelCandidate& candidate : candidates) {
      if (candidate.refused.empty()) explained->kernel = candidate.kernel;
    }
  } else {
    RefuseRest(why, &candidates);
  }
  Append(std::move(candidates), &explained->candidates);
}

std::string CodesName(Isa isa) {
  const GemmCodesKernel kernel = PickGemmCodes(isa);
  return std::string("gemm_codes_") + kernel.decoder->name + "_" +
         kernel.products->name;
}

}  // namespace

ConvF32Shape LinearAsConv(int64_t k, int64_t n, int64_t rows) {
  ConvF32Shape shape;
  shape.in_channels = k;
  shape.out_channels = n;
  shape.in_w = shape.out_w = rows;
  shape.in_h = shape.out_h = 1;
  return shape;
}

std::vector<float> WeightsByOutput(const LinearQuery& query) {
  std::vector<float> w(static_cast<size_t>(query.n * query.k));
  for (int64_t o = 0; o < query.n; ++o) {
    for (int64_t i = 0; i < query.k; ++i) {
      w[o * query.k + i] = query.w[query.transposed ? o * query.stride + i
                                                    : i * query.stride + o];
    }
  }
  return w;
}

std::vector<LinearForm> PackedLinearForms(int64_t k, const KernelSite& site) {
  const LinearForm dense = DenseForm(k, site);
  if (dense != LinearForm::kFloat32 || !AllowsSparse(site)) return {dense};
  return {dense, LinearForm::kSparse};
}

LinearChoice ChooseLinear(const LinearQuery& query, const KernelSite& site) {
  LinearChoice choice = GivenLinear(DenseForm(query.k, site), site);
  choice.packed = false;
  if (choice.form != LinearForm::kFloat32) return choice;
  choice.sparse = ChooseSparseLinear(query, site);
  if (choice.sparse.rows > 0) choice.form = LinearForm::kSparse;
  return choice;
}

LinearChoice GivenLinear(LinearForm form, const KernelSite& site) {
  LinearChoice choice{form, site.isa, site.precision};
  choice.packed = true;
  choice.sparse.rule = form == LinearForm::kSparse ? SparseRule::kPacked
                                                   : SparseRule::kPackedDense;
  if (form == LinearForm::kSparse) choice.sparse.rows = 1;
  return choice;
}

KernelChoice ExplainLinear(const LinearChoice& choice) {
  KernelChoice explained;
  explained.reason = std::string(ReasonName(ConvReason::kDefault));
  explained.rule = RuleOf(choice);
  const std::string why = WhyNotOthers(choice);
  const Isa isa = choice.isa;
  KernelCandidate sparse = SparseCandidate(choice.sparse, isa);
  const bool weighed =
      choice.form == LinearForm::kSparse || choice.form == LinearForm::kFloat32;
  if (!weighed) sparse.refused = why;
  Add(LinearForm::kSparse, choice, why, {sparse}, &explained);
  Add(LinearForm::kFloat32, choice, why,
      Products("gemm_f32_", GemmF32Table(), PickGemmF32(isa), isa), &explained);
  Add(LinearForm::kBFloat16, choice, why,
      Products("gemm_bf16_", GemmBf16Table(), PickGemmBf16(isa), isa),
      &explained);
  Add(LinearForm::kInt8, choice, why,
      Products("gemm_s8_", GemmS8Table(), PickGemmS8(isa), isa), &explained);
  Add(LinearForm::kCodes, choice, "the weights are no bit planes",
      {{CodesName(isa)}}, &explained);
  return explained;
}

KernelChoice ExplainProduct(Isa isa) {
  KernelChoice explained;
  explained.kernel = std::string("gemm_f32_") + PickGemmF32(isa).name;
  explained.reason = std::string(ReasonName(ConvReason::kDefault));
  explained.rule = "the first of the table";
  explained.candidates =
      Products("gemm_f32_", GemmF32Table(), PickGemmF32(isa), isa);
  return explained;
}

}  // namespace stint
