#pragma once
// Pixels of an image to where entries read them: planes, and columns made of
// planes.

#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
#include "kernels/conv_sparse_f32/loops.h"

namespace stint {

// For one call of a convolution, whose arguments it refers to.
class SparseGatherer {
 public:
  SparseGatherer(const ConvSparseF32Kernel& kernel,
                 const ConvSparseF32Args& args)
      : loops_(*kernel.loops), args_(args), s_(args.shape), p_(args.plan) {}

  // What a band (for planes of the image, all of it) reads of one block of
  // input channels, in the form of plan.gather. `gathered` has room for all
  // blocks, `planes` for plan.split floats.
  void Gather(const SparseBand& band, int64_t block, float* gathered,
              float* planes) const;

 private:
  // [channels of the block, phases] planes.
  void Planes(const SparseBand& band, int64_t block, float* planes) const;
  // [channels of the block, taps] columns.
  void Columns(const SparseBand& band, int64_t block, const float* planes,
               float* columns) const;

  // A row of the planes of one phase.
  struct Line {
    int64_t image;
    int64_t block;
    int64_t y;      // of the image; may lie outside
    int64_t phase;  // of the columns
  };
  // Columns [begin, end) of a line lie inside of the image, from its x on.
  struct Inside {
    int64_t begin;
    int64_t end;
    int64_t x;
  };

  Inside InsideOf(const Line& line) const;
  void Split(const Line& line, float* to) const;
  void SplitPlain(const Line& line, const Inside& inside, float* to) const;
  int64_t ChannelsOf(int64_t block) const;

  const SparseLoops& loops_;
  const ConvSparseF32Args& args_;
  const ConvF32Shape& s_;
  const SparsePlan& p_;
};

}  // namespace stint
