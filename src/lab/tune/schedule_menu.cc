#include "lab/tune/schedule_menu.h"

#include <algorithm>
#include <string_view>

#include "core/base/checked_math.h"
#include "engine/choose/conv_choice.h"
#include "kernels/conv_blocked_f32/tiles.h"
#include "kernels/conv_generated_f32/generated_conv.h"
#include "kernels/conv_generated_f32/tile_geometry.h"
#include "lab/tune/tile_menu.h"

namespace stint {
namespace {

// Weights of a pass are to stay in an L1 of 32 or 48 KB.
constexpr int64_t kMostPassBytes = 48 * 1024;

bool IsPointwise(const ConvF32Shape& s) {
  return s.taps() == 1 && s.stride_h == 1 && s.stride_w == 1 &&
         s.pad_top == 0 && s.pad_left == 0;
}

int64_t OutBlocks(const TuneProblem& p) {
  return CeilDiv(p.shape.out_channels, ConvBlockedF32Block(p.isa));
}

// Passes over 1, 2, 4, ... blocks of input channels whose weights fit L1.
std::vector<int> Chunks(const TuneProblem& p, int64_t most_blocks) {
  const int64_t block = ConvBlockedF32Block(p.isa);
  const bool plain = p.input == ImageLayout::kPlain;
  const int64_t planes = CeilDiv(p.shape.in_channels, plain ? 1 : block);
  const int64_t plane_bytes =
      (plain ? 1 : block) * p.shape.taps() * block * most_blocks * 4;
  std::vector<int> chunks = {0};
  for (int64_t chunk = 1; chunk <= planes; chunk *= 2) {
    if (chunk == 1 || chunk * plane_bytes <= kMostPassBytes) {
      chunks.push_back(static_cast<int>(chunk));
    }
  }
  return chunks;
}

ScheduleMenu GeneratedMenu(const TuneProblem& p) {
  ScheduleMenu menu;
  menu.tiles.clear();
  const bool flat = IsPointwise(p.shape);
  const int64_t width = flat ? p.shape.out_plane() : p.shape.out_w;
  const int64_t height = flat ? 1 : p.shape.out_h;
  const bool depthwise = IsDepthwise(p.shape, p.input);
  const int64_t most_blocks =
      depthwise ? 1 : std::min<int64_t>(OutBlocks(p), kGeneratedBlocks);
  for (int blocks = 1; blocks <= most_blocks; ++blocks) {
    const int most = depthwise ? GeneratedDepthwisePixels(p.isa, p.shape.taps())
                               : GeneratedPixels(p.isa, blocks);
    for (int rows : {1, 2, 3, 4}) {
      if (rows > height || rows > most) continue;
      for (int pixels : TileWidths(width, most / rows)) {
        menu.tiles.push_back({blocks, rows, pixels});
      }
    }
  }
  KeepFullTiles(GeneratedPixels(p.isa, 1), &menu.tiles);
  menu.grids.clear();
  for (const auto& [rows, blocks] : ThreadGrids(p.threads)) {
    menu.grids.push_back({rows, blocks});
  }
  if (depthwise) return menu;
  menu.bands = {0, 2, 4, 8};
  menu.row_first = {0, 1};
  menu.unrolls = p.input == ImageLayout::kPlain ? std::vector<int>{1}
                 : p.shape.taps() > 1           ? std::vector<int>{1, 2, 4}
                                                : std::vector<int>{2, 4, 8, 16};
  menu.aheads = {0, 1, 2};
  return menu;
}

ScheduleMenu GatheredMenu(const TuneProblem& p,
                          const ConvBlockedF32Kernel& row) {
  ScheduleMenu menu;
  const bool flat = IsPointwise(p.shape);
  const int64_t width = flat ? p.shape.out_plane() : p.shape.out_w;
  const int most_blocks = p.input == ImageLayout::kPlain ? 2 : kConvTileBlocks;
  for (int blocks = 1; blocks <= std::min<int64_t>(OutBlocks(p), most_blocks);
       ++blocks) {
    for (int pixels : TileWidths(width, row.tiles->max_pixels[blocks - 1])) {
      menu.tiles.push_back({blocks, 0, pixels});
    }
  }
  KeepFullTiles(2 * row.tiles->max_pixels[1], &menu.tiles);
  for (const auto& [rows, blocks] : ThreadGrids(p.threads)) {
    menu.grids.push_back({rows, blocks});
  }
  menu.chunks = Chunks(p, 2);
  menu.bands = {0, 4, 8, 16};
  return menu;
}

ScheduleMenu DirectMenu(const TuneProblem& p, const ConvBlockedF32Kernel& row) {
  ScheduleMenu menu = GatheredMenu(p, row);
  menu.row_first = {0, 1};
  return menu;
}

ScheduleMenu WinogradMenu(const TuneProblem& p,
                          const ConvBlockedF32Kernel& row) {
  ScheduleMenu menu;
  const int64_t m = row.winograd->m;
  const int64_t tiles =
      p.shape.batch * CeilDiv(p.shape.out_h, m) * CeilDiv(p.shape.out_w, m);
  for (int blocks = 1;
       blocks <= std::min<int64_t>(OutBlocks(p), kConvTileBlocks); ++blocks) {
    for (int pixels : TileWidths(tiles, row.tiles->max_pixels[blocks - 1])) {
      menu.tiles.push_back({blocks, 0, pixels});
    }
  }
  KeepFullTiles(2 * row.tiles->max_pixels[1], &menu.tiles);
  for (int band : {8, 14, 16, 28, 32, 56, 64, 112, 128}) {
    if (band <= tiles) menu.bands.push_back(band);
  }
  menu.grids = {{0, 0}, {1, 1}};
  if (p.threads > 1) {
    menu.grids.push_back({p.threads, 1});
    menu.grids.push_back({1, p.threads});
  }
  menu.chunks = {0, 1, 2, 4};
  return menu;
}

ScheduleMenu DepthwiseMenu(const TuneProblem& p) {
  ScheduleMenu menu;
  menu.tiles.push_back({0, 0, 8});
  menu.grids.push_back({1, 1});
  if (p.threads > 1) menu.grids.push_back({p.threads, 1});
  return menu;
}

ScheduleMenu MenuFor(const TuneProblem& p, const ConvBlockedF32Kernel& row) {
  const std::string_view name = row.primitive;
  if (row.depthwise != nullptr) return DepthwiseMenu(p);
  if (row.winograd != nullptr) return WinogradMenu(p, row);
  const bool gathers =
      name == "im2col" || name == "implicit" || name == "spatial";
  return gathers ? GatheredMenu(p, row) : DirectMenu(p, row);
}

}  // namespace

std::vector<std::pair<std::string, ScheduleMenu>> MakeScheduleMenus(
    const TuneProblem& p, bool generated) {
  std::vector<std::pair<std::string, ScheduleMenu>> menus;
  if (generated && GeneratedConv::Supports(p.shape, p.isa)) {
    menus.emplace_back(kGeneratedPrimitive, GeneratedMenu(p));
  }
  bool pointwise = false;
  for (const auto* row : FittingConvBlockedF32(p.shape, p.input, p.isa)) {
    const std::string name = row->primitive;
    if (name == "direct" && pointwise) continue;
    pointwise |= name == "pointwise";
    menus.emplace_back(name, MenuFor(p, *row));
  }
  return menus;
}

}  // namespace stint
