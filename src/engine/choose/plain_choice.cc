#include "engine/choose/plain_choice.h"

#include "engine/choose/choice_reason.h"
#include "engine/choose/table_candidates.h"

namespace stint {

const ConvF32Kernel& ChoosePlain(const ConvF32Shape& shape, Isa isa) {
  return PickConvF32(shape, isa);
}

KernelChoice ExplainPlain(const ConvF32Shape& shape, Isa isa) {
  const ConvF32Kernel& kernel = ChoosePlain(shape, isa);
  KernelChoice choice{kernel.name,
                      std::string(ReasonName(ConvReason::kDefault)), ""};
  choice.rule =
      "images are not in blocks: the first of the table that "
      "computes the layer";
  choice.candidates = TableCandidates(
      "", ConvF32Table(), isa, &kernel,
      [&](const ConvF32Kernel& row) { return row.supports(shape); });
  return choice;
}

KernelChoice ExplainConvCodes(const GemmCodesKernel& kernel) {
  KernelChoice choice{std::string("conv_codes_") + kernel.products->name,
                      "codes", ""};
  choice.rule = "its weights are bit planes, which come with the run";
  choice.candidates = {{choice.kernel}};
  return choice;
}

}  // namespace stint
