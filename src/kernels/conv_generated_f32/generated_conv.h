#pragma once
// Direct convolution by machine code that is made for one shape and schedule:
// all taps of a window unrolled, every offset a constant, pixels outside the
// image left out instead of padded, sums in registers over all input channels.
// Reads weights as packed for direct or depthwise convolutions. x86-64 with
// AVX2 or AVX-512.

#include <memory>
#include <vector>

#include "core/platform/memory/executable_memory.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/conv_schedule.h"
#include "kernels/conv_generated_f32/tile_code.h"
#include "kernels/geometry/blocking.h"

namespace stint {

class ThreadPool;

class GeneratedConv {
 public:
  // One group, or depthwise. `Run` takes no activation curve.
  static bool Supports(const ConvF32Shape& shape, Isa isa);

  // Fields of the schedule that are 0 or too large for the registers get a
  // value that fits. kUnsupported with the reason where there is no assembler,
  // the code grows too large or the system refuses executable memory.
  static Result<std::shared_ptr<const GeneratedConv>> Make(
      const ConvF32Shape& shape, ImageLayout input,
      const ConvSchedule& schedule, Isa isa);

  // `args.shape` is the shape it was made for; no scratch is needed. May run
  // on several threads at once.
  void Run(const ConvBlockedF32Args& args, ThreadPool* pool) const;

  size_t code_bytes() const { return memory_.bytes(); }

 private:
  // Tiles of one code, one behind the other. Offsets are in floats from the
  // first pixel of an image and of the first output block.
  struct Piece {
    size_t entry[2];  // of all groups of output blocks but the last, and of it
    int64_t x;
    int64_t y;
    int64_t count;
  };
  // Rows of outputs that tiles cover together.
  struct Strip {
    std::vector<Piece> pieces;
    int64_t y;
    int64_t pixels;
  };
  class Builder;

  GeneratedConv() = default;
  void RunPart(const ConvBlockedF32Args& args, GemmRange strips,
               GemmRange groups) const;
  void RunGroup(const ConvBlockedF32Args& args, int64_t index,
                int64_t group) const;
  GemmGrid GridFor(int64_t batch, int threads) const;

  int64_t block_ = 0;
  int64_t blocks_ = 0;  // output blocks per group of a tile
  int64_t out_blocks_ = 0;
  int64_t in_floats_ = 0;  // of an image
  int64_t out_plane_ = 0;  // floats of an output block
  int64_t x_group_ = 0;    // floats of x between groups, if each has its own
  int64_t w_block_ = 0;    // floats of the weights of an output block
  int64_t band_ = 0;       // strips
  ConvSchedule schedule_;
  std::vector<Strip> strips_;
  std::vector<TileFn> code_;
  ExecutableMemory memory_;
};

}  // namespace stint
