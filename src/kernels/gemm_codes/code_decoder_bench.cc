// Every decoder on a strip of 1536 inputs in L1; an item is a word, 64 weights.
// Arguments: bits.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernels/gemm_codes/code_decoder.h"
#include "kernels/testing/planes.h"
#include "kernels/testing/rotation.h"

namespace stint {
namespace {

void BM_Decode(benchmark::State& state, const CodeDecoder* decoder) {
  const RandomPlanes planes({16, 1536}, 1);
  StripCodes codes{};
  codes.bits = static_cast<int>(state.range(0));
  codes.values = planes.values(codes.bits);
  codes.inputs = 1536;
  for (int p = 0; p < codes.bits; ++p) codes.planes[p] = planes.plane(p);
  std::vector<int8_t> panel(16 * 1536 + 64);
  std::vector<int32_t> sums(16);
  for (auto _ : state) {
    decoder->decode(codes, {Aligned(panel.data()), 64}, sums.data());
  }
  state.SetItemsProcessed(state.iterations() * codes.words());
}

const bool kRegistered = [] {
  for (const CodeDecoder& decoder : CodeDecoderTable()) {
    const std::string name = decoder.name;
    if (!CanRun(decoder, DetectIsa()) || name == "reference") continue;
    auto* bench = benchmark::RegisterBenchmark(("decode/" + name).c_str(),
                                               BM_Decode, &decoder);
    for (int bits = 2; bits <= 8; ++bits) bench->Arg(bits);
  }
  return true;
}();

}  // namespace
}  // namespace stint
