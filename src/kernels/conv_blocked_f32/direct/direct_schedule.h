#pragma once
// How a direct convolution is cut: register tile, passes over input channels,
// bands of rows and threads.

#include <cstdint>

#include "kernels/conv_blocked_f32/conv_schedule.h"
#include "kernels/conv_blocked_f32/tiles.h"
#include "kernels/geometry/blocking.h"
#include "kernels/geometry/conv_shape.h"

namespace stint {

// Weights of a pass: they stay in an L1 of 48 KB while rows go by.
inline constexpr int64_t kConvPassBytes = 32 * 1024;

struct ConvTileChoice {
  int64_t blocks;
  int64_t pixels;
};

// The register tile that covers `cols` pixels by `out_blocks` in the fewest
// cycles, of at most `most_blocks` blocks.
ConvTileChoice PickConvTile(const ConvTileSet& tiles, int64_t cols,
                            int64_t out_blocks, int64_t most_blocks);

// What the schedule says of the tile, as far as the registers hold it, else
// `own`.
ConvTileChoice ScheduledTile(const ConvTileSet& tiles,
                             const ConvSchedule& schedule,
                             const ConvTileChoice& own, int64_t most_blocks);

// Threads that the schedule wants, at most `threads`; all of them by default.
inline int ScheduledThreads(const ConvSchedule& schedule, int threads) {
  return schedule.parts() > 0 && schedule.parts() < threads ? schedule.parts()
                                                            : threads;
}

struct DirectSchedule {
  int64_t lanes;   // channels that lie together in x: a block, or 1 if plain
  int64_t planes;  // of x per group, each of `lanes` channels
  int64_t out_blocks;  // per group
  // Outputs are walked in rows: those of the image, or, where the image is
  // read as one long row, equal pieces of it but for the last.
  bool flat;
  int64_t rows;
  int64_t cols;
  // Windows read x itself, or a copy that holds the padding (`copy`) and, for a
  // strided 1x1 kernel, only the pixels that count (`sample`).
  bool copy;
  bool sample;
  int64_t pitch;    // pixels per row of what windows read
  int64_t band;     // rows of outputs per band
  int64_t band_in;  // rows of the copy per band
  int64_t chunk;    // planes per pass over the band
  int64_t blocks;   // output blocks per register tile
  int64_t tile;     // pixels per register tile

  int64_t Scratch() const {  // floats of one thread
    return copy ? RoundUp(planes * band_in * pitch * lanes, 16) : 0;
  }
  int64_t Panel(const ConvF32Shape& s, int64_t block) const {  // of a pass
    return RoundUp(blocks * chunk * lanes * s.taps() * block, 16);
  }
};

DirectSchedule MakeDirectSchedule(const ConvTileSet& tiles, bool plain,
                                  const ConvF32Shape& shape,
                                  const ConvSchedule& schedule);

// Threads as a grid over rows of all images and output blocks of a group.
GemmGrid SplitDirect(const DirectSchedule& schedule, const ConvF32Shape& shape,
                     int threads);

}  // namespace stint
