#include "engine/choose/integer_choice.h"

#include "engine/choose/conv_choice.h"
#include "engine/choose/table_candidates.h"
#include "kernels/conv_s8/sparse.h"
#include "kernels/conv_s8/winograd.h"

namespace stint {
namespace {

// Groups of 4 weights that are not 0, as a share, below which skipping the
// others is faster: conv_s8_bench, VNNI of Zen 4.
constexpr double kSparseShare = 0.28;
// Products per result below which taking the image apart costs more.
constexpr int64_t kLeastProducts = 128;

constexpr std::string_view kOtherAskedFor = "another primitive is asked for";

// The best row for a machine of level `cap`; null: there is none.
const ConvS8Kernel* FirstRow(std::span<const ConvS8Kernel> table, Isa cap) {
  for (const ConvS8Kernel& row : table) {
    if (row.isa <= cap) return &row;
  }
  return nullptr;
}

// Why weights that are 0 are not skipped; empty: they are.
std::string_view WhyNotSparse(const IntegerQuery& query,
                              const ConvS8Kernel* sparse,
                              const KernelSite& site) {
  const ConvF32Shape& shape = query.shape;
  const bool forced = IsSparsePrimitive(site.primitive);
  if (!site.primitive.empty() && !forced) return kOtherAskedFor;
  if (!SparseS8Supports(shape)) return "does not compute this layer";
  if (sparse == nullptr) return "has no kernel for this instruction set";
  if (forced) return "";
  if (sparse->isa < Isa::kVnni) return "gains only from VNNI on";
  if (shape.in_channels * shape.taps() < kLeastProducts) {
    return "too few products per result";
  }
  if (SparseS8Share(shape, query.w) >= kSparseShare) {
    return "too few groups of 4 weights are 0";
  }
  return "";
}

bool GainsByWinograd(const ConvF32Shape& shape, const KernelSite& site) {
  const int64_t weights =
      site.network_weights > 0 ? site.network_weights : INT64_MAX / 8;
  return WinogradS8Gains(shape, {weights, site.threads});
}

// Why Winograd's algorithm is not used, but for memory; empty: it is. The size
// of images counts.
std::string_view WhyNotWinograd(const IntegerQuery& query,
                                const ConvS8Kernel* winograd,
                                const KernelSite& site) {
  const ConvF32Shape& shape = query.shape;
  if (winograd == nullptr) return "has no kernel for this instruction set";
  if (!winograd->supports(shape)) return "does not compute this layer";
  if (shape.in_h <= 0) return "the size of images is not known";
  if (!WinogradS8Fits(shape, query.w)) return "sums might not fit 32 bits";
  if (site.primitive == winograd->primitive) return "";
  if (!site.primitive.empty()) return kOtherAskedFor;
  if (winograd->isa < Isa::kVnni) return "gains only from VNNI on";
  if (site.schedule_mode == ScheduleMode::kUntuned) {
    return "untuned runs are direct convolutions";
  }
  if (!GainsByWinograd(shape, site)) {
    return "is not clearly faster for images and weights of this size";
  }
  return "";
}

// By how many bytes Winograd's weights are larger than the others.
int64_t Growth(const ConvS8Kernel& winograd, const ConvS8Kernel& dense,
               const ConvF32Shape& shape) {
  const int64_t pixel = ImageChannels(shape.in_channels);
  return winograd.packed_bytes(winograd, shape, pixel) -
         dense.packed_bytes(dense, shape, pixel);
}

// Replaces the kernel of `choice` by Winograd's where nothing speaks against
// it.
void TryWinograd(const IntegerQuery& query, const KernelSite& site,
                 IntegerChoice* choice) {
  const ConvS8Kernel* winograd = FirstRow(ConvS8WinogradTable(), site.isa);
  choice->not_winograd = WhyNotWinograd(query, winograd, site);
  if (!choice->not_winograd.empty()) return;
  const int64_t growth = Growth(*winograd, *choice->kernel, query.shape);
  const bool forced = site.primitive == winograd->primitive;
  if (site.allowance != nullptr && !forced) {
    if (growth > site.allowance->bytes) {
      choice->not_winograd = "its larger weights are over the memory budget";
      return;
    }
    site.allowance->bytes -= growth;
  }
  choice->kernel = winograd;
}

ConvReason ReasonOf(const ConvS8Kernel& kernel, const KernelSite& site) {
  const bool forced = site.primitive == kernel.primitive ||
                      (IsSparsePrimitive(kernel.primitive) &&
                       IsSparsePrimitive(site.primitive));
  return forced ? ConvReason::kForced : ConvReason::kDefault;
}

std::string RuleOf(const IntegerChoice& choice) {
  if (choice.packed) return "the file's weights are packed for it";
  if (choice.reason == ConvReason::kForced) {
    return "the primitive that was asked for";
  }
  if (choice.kernel->sparse != nullptr) {
    return "enough groups of 4 weights are 0";
  }
  if (choice.kernel->winograd != nullptr) {
    return "clearly faster than direct convolution for images and weights of "
           "this size";
  }
  return "the first of the table that computes the layer";
}

// Rows of the two tables that depend on weights.
std::vector<KernelCandidate> Special(std::span<const ConvS8Kernel> table,
                                     std::string_view why_not, Isa isa,
                                     const ConvS8Kernel* chosen) {
  const ConvS8Kernel* first = FirstRow(table, isa);
  auto candidates = TableCandidates("", table, isa, first,
                                    [](const ConvS8Kernel&) { return true; });
  if (first == chosen && chosen != nullptr) return candidates;
  RefuseRest(why_not.empty() ? std::string(chosen->name) + " was chosen first"
                             : std::string(why_not),
             &candidates);
  return candidates;
}

}  // namespace

IntegerChoice ChooseInteger(const IntegerQuery& query, const KernelSite& site) {
  const ConvS8Kernel& dense = PickConvS8(query.shape, site.isa);
  IntegerChoice choice{&dense};
  // A kernel of an older instruction set never gains on a newer one.
  if (dense.isa > Isa::kBf16 && site.primitive.empty()) {
    choice.not_sparse = choice.not_winograd = "tile registers are faster";
    return choice;
  }
  const ConvS8Kernel* sparse = FirstRow(ConvS8SparseTable(), site.isa);
  choice.not_sparse = WhyNotSparse(query, sparse, site);
  if (choice.not_sparse.empty()) {
    choice.kernel = sparse;
  } else {
    TryWinograd(query, site, &choice);
  }
  choice.reason = ReasonOf(*choice.kernel, site);
  return choice;
}

KernelChoice ExplainInteger(const IntegerChoice& choice,
                            const ConvF32Shape& shape, Isa isa) {
  KernelChoice explained{choice.kernel->name,
                         std::string(ReasonName(choice.reason)), ""};
  explained.rule = RuleOf(choice);
  std::string_view not_sparse = choice.not_sparse;
  std::string_view not_winograd = choice.not_winograd;
  if (choice.packed) {
    not_sparse = not_winograd = "the weights are packed for another kernel";
  }
  auto& all = explained.candidates;
  all = Special(ConvS8SparseTable(), not_sparse, isa, choice.kernel);
  Append(Special(ConvS8WinogradTable(), not_winograd, isa, choice.kernel),
         &all);
  const bool special = choice.kernel->sparse || choice.kernel->winograd;
  const ConvS8Kernel& dense = special ? PickConvS8(shape, isa) : *choice.kernel;
  auto rows = TableCandidates(
      "", ConvS8Table(), isa, &dense,
      [&](const ConvS8Kernel& row) { return row.supports(shape); });
  if (special) {
    RefuseRest(std::string(choice.kernel->name) + ": " + explained.rule, &rows);
  }
  Append(std::move(rows), &all);
  return explained;
}

}  // namespace stint
