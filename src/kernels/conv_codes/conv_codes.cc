#include "kernels/conv_codes/conv_codes.h"

#include <algorithm>
#include <cstring>

#include "core/base/check.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_s8/direct.h"
#include "kernels/conv_s8/direct_plan.h"

namespace stint {
namespace {

// Scratch: bands of all threads, then for each thread a panel, its sums, bias
// and multipliers.
struct Scratch {
  Scratch(const ConvS8TileSet& tiles, const DirectS8Plan& plan)
      : channels(tiles.max_vecs * plan.width),
        panel(RoundUp(channels * plan.Steps() * 4, 64)),
        thread(panel + RoundUp(3 * channels * 4, 64)) {}
  int64_t channels;  // of the widest panel
  int64_t panel;     // bytes
  int64_t thread;    // bytes
};

// Channels [begin, end) of the output, decoded.
struct PanelTo {
  int64_t begin;
  int64_t end;
  int8_t* w;      // [steps, end - begin, 4]
  int32_t* sums;  // [end - begin]
};

// A strip that only in part belongs to the panel goes through a copy in L1.
void DecodePart(const CodeDecoder& decoder, StripCodes codes,
                const CodedBlock& block, int64_t output, const PanelTo& to) {
  constexpr int64_t kWords = 16;
  alignas(64) int8_t copy[kWords * kPlaneWordWeights];
  int32_t sums[kPlaneStripOutputs] = {};
  const int64_t first = std::max(output, to.begin);
  const int64_t count = std::min(output + kPlaneStripOutputs, to.end) - first;
  const int64_t step = (to.end - to.begin) * 4;
  int8_t* at = to.w + block.input / 4 * step + (first - to.begin) * 4;
  const int64_t inputs = codes.inputs;
  for (int64_t i = 0; i < inputs; i += 4 * kWords) {
    codes.inputs = std::min(4 * kWords, inputs - i);
    decoder.decode(codes, {copy, kPlaneWordWeights}, sums);
    for (int64_t w = 0; w < codes.words(); ++w, at += step) {
      std::memcpy(at, copy + w * kPlaneWordWeights + (first - output) * 4,
                  static_cast<size_t>(count) * 4);
    }
    for (int p = 0; p < codes.bits; ++p) codes.planes[p] += kWords;
  }
  for (int64_t o = 0; o < count; ++o) {
    to.sums[first - to.begin + o] += sums[first - output + o];
  }
}

void DecodeBlock(const CodeDecoder& decoder, const CodedBlock& block,
                 const PanelTo& to) {
  const int64_t channels = to.end - to.begin;
  for (int64_t s = 0; s < block.shape.strips(); ++s) {
    const int64_t output = block.output + s * kPlaneStripOutputs;
    if (output >= to.end) return;
    if (output + kPlaneStripOutputs <= to.begin) continue;
    const StripCodes codes = block.Strip(s);
    if (output < to.begin || output + kPlaneStripOutputs > to.end) {
      DecodePart(decoder, codes, block, output, to);
      continue;
    }
    StripWords words{to.w + (output - to.begin) * 4, channels * 4};
    words.first = block.input / kPlaneWordInputs;
    decoder.decode(codes, words, to.sums + (output - to.begin));
  }
}

// The panel with bias, from which the zero point of x is taken, and multipliers
// behind it; both 0 past the last channel.
DirectS8Panel Finish(const ConvS8Args& args, const ConvCodesWeights& weights,
                     const PanelTo& to, int32_t* bias) {
  const int64_t channels = to.end - to.begin;
  const int64_t real = std::min(to.end, args.shape.out_channels) - to.begin;
  auto* multiplier = reinterpret_cast<float*>(bias + channels);
  std::fill_n(bias, channels, 0);
  std::fill_n(multiplier, channels, 0.0f);
  for (int64_t o = 0; o < real; ++o) {
    bias[o] = weights.bias[to.begin + o] - args.x_zero * to.sums[o];
    multiplier[o] = weights.multiplier[to.begin + o];
  }
  return {to.w, nullptr, 0, bias, multiplier};
}

}  // namespace

bool ConvCodesSupports(const ConvF32Shape& shape) {
  return shape.groups == 1 && shape.in_channels % kPlaneWordInputs == 0;
}

ConvCodesKernel PickConvCodes(Isa cap) {
  for (const ConvS8Kernel& kernel : ConvS8Table()) {
    if (kernel.isa <= cap && kernel.tiles != nullptr &&
        kernel.tiles->groups == 1) {
      return {&kernel, &PickCodeDecoder(cap)};
    }
  }
  STINT_CHECK(false);
}

int64_t ConvCodesScratchBytes(const ConvCodesKernel& kernel,
                              const ConvF32Shape& shape, int64_t x_pixel,
                              int threads) {
  const ConvS8TileSet& tiles = *kernel.products->tiles;
  const DirectS8Plan plan = MakeDirectS8Plan(tiles, shape, x_pixel);
  return threads * (plan.scratch_bytes + Scratch(tiles, plan).thread);
}

void ConvCodes(const ConvCodesKernel& kernel, const ConvS8Args& args,
               const ConvCodesWeights& weights, ThreadPool* pool) {
  const ConvS8TileSet& tiles = *kernel.products->tiles;
  const DirectS8Plan plan = MakeDirectS8Plan(tiles, args.shape, args.x_pixel);
  const Scratch scratch(tiles, plan);
  uint8_t* panels = args.scratch + pool->threads() * plan.scratch_bytes;
  RunDirectS8(tiles, args, pool, [&](int part, int64_t i) {
    uint8_t* own = panels + part * scratch.thread;
    const GemmRange vecs = plan.PanelVecs(i);
    auto* sums = reinterpret_cast<int32_t*>(own + scratch.panel);
    const PanelTo to{vecs.begin * plan.width, vecs.end * plan.width,
                     reinterpret_cast<int8_t*>(own), sums};
    std::fill_n(sums, to.end - to.begin, 0);
    for (const CodedBlock& block : weights.blocks) {
      DecodeBlock(*kernel.decoder, block, to);
    }
    return Finish(args, weights, to, sums + scratch.channels);
  });
}

}  // namespace stint
