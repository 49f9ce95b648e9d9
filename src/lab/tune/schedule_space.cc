#include "lab/tune/schedule_space.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "engine/bind/conv_choice.h"
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

template <class T>
const T& Pick(const std::vector<T>& list, Random* random) {
  return list[static_cast<size_t>(
      random->NextInt(static_cast<int64_t>(list.size())))];
}

template <class T>
bool Has(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
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

}  // namespace

ScheduleSpace::ScheduleSpace(const TuneProblem& p, bool generated) {
  const auto add = [&](const std::string& name, Menu menu) {
    names_.push_back(name);
    menus_.push_back(std::move(menu));
  };
  if (generated && GeneratedConv::Supports(p.shape, p.isa)) {
    add(std::string(kGeneratedPrimitive), GeneratedMenu(p));
  }
  bool direct = false;
  for (const auto* row : FittingConvBlockedF32(p.shape, p.input, p.isa)) {
    if (row->depthwise != nullptr) {
      add(row->primitive, DepthwiseMenu(p));
    } else if (row->winograd != nullptr) {
      add(row->primitive, WinogradMenu(p, *row));
    } else if (row->run == FittingConvBlockedF32(p.shape, p.input, p.isa)
                               .front()
                               ->run &&
               direct) {
      continue;  // "pointwise" and "direct" run the same code
    } else {
      const std::string name = row->primitive;
      const bool gathers =
          name == "im2col" || name == "implicit" || name == "spatial";
      add(name, gathers ? GatheredMenu(p, *row) : DirectMenu(p, *row));
      direct |= !gathers;
    }
  }
}

ScheduleSpace::Menu ScheduleSpace::GeneratedMenu(const TuneProblem& p) const {
  Menu menu;
  menu.tiles.clear();
  const bool flat = IsPointwise(p.shape);
  const int64_t width = flat ? p.shape.out_plane() : p.shape.out_w;
  const int64_t height = flat ? 1 : p.shape.out_h;
  for (int blocks = 1; blocks <= std::min<int64_t>(OutBlocks(p), 6); ++blocks) {
    const int most = GeneratedPixels(p.isa, blocks);
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
  menu.bands = {0, 2, 4, 8};
  menu.row_first = {0, 1};
  menu.unrolls = p.input == ImageLayout::kPlain ? std::vector<int>{1}
                 : p.shape.taps() > 1           ? std::vector<int>{1, 2, 4}
                                                : std::vector<int>{2, 4, 8, 16};
  menu.aheads = {0, 1, 2};
  return menu;
}

ScheduleSpace::Menu ScheduleSpace::DirectMenu(
    const TuneProblem& p, const ConvBlockedF32Kernel& row) const {
  Menu menu = GatheredMenu(p, row);
  menu.row_first = {0, 1};
  return menu;
}

ScheduleSpace::Menu ScheduleSpace::GatheredMenu(
    const TuneProblem& p, const ConvBlockedF32Kernel& row) const {
  Menu menu;
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

ScheduleSpace::Menu ScheduleSpace::WinogradMenu(
    const TuneProblem& p, const ConvBlockedF32Kernel& row) const {
  Menu menu;
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

ScheduleSpace::Menu ScheduleSpace::DepthwiseMenu(const TuneProblem& p) const {
  Menu menu;
  menu.tiles.push_back({0, 0, 8});
  menu.grids.push_back({1, 1});
  if (p.threads > 1) menu.grids.push_back({p.threads, 1});
  return menu;
}

const ScheduleSpace::Menu* ScheduleSpace::MenuOf(
    const std::string& primitive) const {
  const auto it = std::find(names_.begin(), names_.end(), primitive);
  if (it == names_.end()) return nullptr;
  return &menus_[static_cast<size_t>(it - names_.begin())];
}

void ScheduleSpace::Choose(const Menu& menu, int list, stint::Random* random,
                           ConvSchedule* s) {
  switch (list) {
    case 0: {
      const Tile& tile = Pick(menu.tiles, random);
      s->tile_blocks = tile.blocks;
      s->tile_rows = tile.rows;
      s->tile_pixels = tile.pixels;
      return;
    }
    case 1: {
      const Grid& grid = Pick(menu.grids, random);
      s->row_parts = grid.rows;
      s->block_parts = grid.blocks;
      return;
    }
    case 2:
      s->chunk = Pick(menu.chunks, random);
      return;
    case 3:
      s->band = Pick(menu.bands, random);
      return;
    case 4:
      s->row_first = Pick(menu.row_first, random);
      return;
    case 5:
      s->unroll = Pick(menu.unrolls, random);
      return;
    case 6:
      s->ahead = Pick(menu.aheads, random);
      return;
  }
}

std::vector<ConvPlan> ScheduleSpace::Starts() const {
  std::vector<ConvPlan> plans;
  for (size_t i = 0; i < names_.size(); ++i) {
    plans.push_back({names_[i], {}});
    const Menu& menu = menus_[i];
    if (names_[i] != kGeneratedPrimitive) {
      for (const Grid& grid : menu.grids) {
        ConvSchedule s;
        s.row_parts = grid.rows;
        s.block_parts = grid.blocks;
        if (grid.rows > 0) plans.push_back({names_[i], s});
      }
      continue;
    }
    // Every tile of one row, on all threads.
    for (const Tile& tile : menu.tiles) {
      ConvSchedule s;
      s.tile_blocks = tile.blocks;
      s.tile_rows = tile.rows;
      s.tile_pixels = tile.pixels;
      s.row_parts = menu.grids.back().rows;
      s.block_parts = menu.grids.back().blocks;
      s.unroll = menu.unrolls.front();
      if (tile.rows == 1) plans.push_back({names_[i], s});
    }
  }
  return plans;
}

ConvPlan ScheduleSpace::Random(stint::Random* random) const {
  const auto at =
      static_cast<size_t>(random->NextInt(static_cast<int64_t>(names_.size())));
  ConvPlan plan{names_[at], {}};
  for (int list = 0; list < Menu::kLists; ++list) {
    Choose(menus_[at], list, random, &plan.schedule);
  }
  return plan;
}

ConvPlan ScheduleSpace::Mutate(const ConvPlan& plan,
                               stint::Random* random) const {
  const Menu* menu = MenuOf(plan.primitive);
  if (menu == nullptr) return Random(random);
  ConvPlan changed = plan;
  constexpr int kTries = 8;  // lists of one member change nothing
  for (int i = 0; i < kTries && changed == plan; ++i) {
    Choose(*menu, static_cast<int>(random->NextInt(Menu::kLists)), random,
           &changed.schedule);
  }
  return changed;
}

ConvPlan ScheduleSpace::Cross(const ConvPlan& a, const ConvPlan& b,
                              stint::Random* random) const {
  ConvPlan child = a;
  const ConvSchedule& other = b.schedule;
  ConvSchedule* s = &child.schedule;
  const auto take = [&] { return random->NextInt(2) == 1; };
  if (take()) {
    s->tile_blocks = other.tile_blocks;
    s->tile_rows = other.tile_rows;
    s->tile_pixels = other.tile_pixels;
  }
  if (take()) {
    s->row_parts = other.row_parts;
    s->block_parts = other.block_parts;
  }
  for (int ConvSchedule::*field :
       {&ConvSchedule::chunk, &ConvSchedule::band, &ConvSchedule::row_first,
        &ConvSchedule::unroll, &ConvSchedule::ahead}) {
    if (take()) s->*field = other.*field;
  }
  return child;
}

bool ScheduleSpace::Contains(const ConvPlan& plan) const {
  const Menu* menu = MenuOf(plan.primitive);
  const ConvSchedule& s = plan.schedule;
  if (menu == nullptr) return false;
  if (s == ConvSchedule{}) return true;
  return Has(menu->tiles, {s.tile_blocks, s.tile_rows, s.tile_pixels}) &&
         Has(menu->grids, {s.row_parts, s.block_parts}) &&
         Has(menu->chunks, s.chunk) && Has(menu->bands, s.band) &&
         Has(menu->row_first, s.row_first) && Has(menu->unrolls, s.unroll) &&
         Has(menu->aheads, s.ahead);
}

int64_t ScheduleSpace::Count() const {
  size_t count = 0;
  for (const Menu& menu : menus_) {
    count += menu.tiles.size() * menu.grids.size() * menu.chunks.size() *
             menu.bands.size() * menu.row_first.size() * menu.unrolls.size() *
             menu.aheads.size();
  }
  return static_cast<int64_t>(count);
}

}  // namespace stint
