#pragma once
// The choices that a schedule of one primitive has on one layer, as far as
// registers and caches hold them.

#include <string>
#include <utility>
#include <vector>

#include "core/platform/cpu_info.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/conv_schedule.h"

namespace stint {

// A layer on a machine.
struct TuneProblem {
  ConvF32Shape shape;
  ImageLayout input = ImageLayout::kBlocked;
  Isa isa = Isa::kBaseline;
  int threads = 1;
};

struct TileMenuEntry {
  int blocks, rows, pixels;
  bool operator==(const TileMenuEntry&) const = default;
};
struct GridMenuEntry {
  int rows, blocks;
  bool operator==(const GridMenuEntry&) const = default;
};

// No list is empty.
struct ScheduleMenu {
  std::vector<TileMenuEntry> tiles = {{0, 0, 0}};
  std::vector<GridMenuEntry> grids = {{0, 0}};
  std::vector<int> chunks = {0};
  std::vector<int> bands = {0};
  std::vector<int> row_first = {0};
  std::vector<int> unrolls = {0};
  std::vector<int> aheads = {0};
  static constexpr int kLists = 7;
};

// By primitive: all that fit the layer, but one of those that run the same
// code. Without `generated` only kernels that were compiled.
std::vector<std::pair<std::string, ScheduleMenu>> MakeScheduleMenus(
    const TuneProblem& problem, bool generated);

}  // namespace stint
