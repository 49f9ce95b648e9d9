#include "lab/tune/schedule_space.h"

#include <algorithm>

#include "engine/choose/conv_choice.h"

namespace stint {
namespace {

template <class T>
const T& Pick(const std::vector<T>& list, Random* random) {
  return list[static_cast<size_t>(
      random->NextInt(static_cast<int64_t>(list.size())))];
}

template <class T>
bool Has(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

ScheduleSpace::ScheduleSpace(const TuneProblem& problem, bool generated) {
  for (auto& [name, menu] : MakeScheduleMenus(problem, generated)) {
    names_.push_back(name);
    menus_.push_back(std::move(menu));
  }
}

const ScheduleMenu* ScheduleSpace::MenuOf(const std::string& primitive) const {
  const auto it = std::find(names_.begin(), names_.end(), primitive);
  if (it == names_.end()) return nullptr;
  return &menus_[static_cast<size_t>(it - names_.begin())];
}

void ScheduleSpace::Choose(const ScheduleMenu& menu, int list,
                           stint::Random* random, ConvSchedule* s) {
  switch (list) {
    case 0: {
      const TileMenuEntry& tile = Pick(menu.tiles, random);
      s->tile_blocks = tile.blocks;
      s->tile_rows = tile.rows;
      s->tile_pixels = tile.pixels;
      return;
    }
    case 1: {
      const GridMenuEntry& grid = Pick(menu.grids, random);
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
    const ScheduleMenu& menu = menus_[i];
    if (names_[i] != kGeneratedPrimitive) {
      for (const GridMenuEntry& grid : menu.grids) {
        ConvSchedule s;
        s.row_parts = grid.rows;
        s.block_parts = grid.blocks;
        if (grid.rows > 0) plans.push_back({names_[i], s});
      }
      continue;
    }
    // Every tile of one row, on all threads.
    for (const TileMenuEntry& tile : menu.tiles) {
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
  for (int list = 0; list < ScheduleMenu::kLists; ++list) {
    Choose(menus_[at], list, random, &plan.schedule);
  }
  return plan;
}

ConvPlan ScheduleSpace::Mutate(const ConvPlan& plan,
                               stint::Random* random) const {
  const ScheduleMenu* menu = MenuOf(plan.primitive);
  if (menu == nullptr) return Random(random);
  ConvPlan changed = plan;
  constexpr int kTries = 8;  // lists of one member change nothing
  for (int i = 0; i < kTries && changed == plan; ++i) {
    Choose(*menu, static_cast<int>(random->NextInt(ScheduleMenu::kLists)),
           random, &changed.schedule);
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
  const ScheduleMenu* menu = MenuOf(plan.primitive);
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
  for (const ScheduleMenu& menu : menus_) {
    count += menu.tiles.size() * menu.grids.size() * menu.chunks.size() *
             menu.bands.size() * menu.row_first.size() * menu.unrolls.size() *
             menu.aheads.size();
  }
  return static_cast<int64_t>(count);
}

}  // namespace stint
