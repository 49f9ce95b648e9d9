#pragma once
// The schedules that are worth a trial on one layer: what registers and caches
// hold, by primitive, with random members, mutations and crossings.

#include <cstdint>
#include <vector>

#include "core/base/random.h"
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

class ScheduleSpace {
 public:
  // Without `generated` only kernels that were compiled.
  explicit ScheduleSpace(const TuneProblem& problem, bool generated = true);

  // Every primitive with all choices its own, and what usually does well.
  std::vector<ConvPlan> Starts() const;
  ConvPlan Random(stint::Random* random) const;
  // Another value for one choice.
  ConvPlan Mutate(const ConvPlan& plan, stint::Random* random) const;
  // Each choice from one of both, which are of one primitive.
  ConvPlan Cross(const ConvPlan& a, const ConvPlan& b,
                 stint::Random* random) const;
  // Whether all choices of a plan of another layer are ones of this.
  bool Contains(const ConvPlan& plan) const;
  // All there are; as many as Count() when that is small.
  int64_t Count() const;
  const std::vector<std::string>& primitives() const { return names_; }

 private:
  struct Tile {
    int blocks, rows, pixels;
    bool operator==(const Tile&) const = default;
  };
  struct Grid {
    int rows, blocks;
    bool operator==(const Grid&) const = default;
  };
  // The choices of one primitive. No list is empty.
  struct Menu {
    std::vector<Tile> tiles = {{0, 0, 0}};
    std::vector<Grid> grids = {{0, 0}};
    std::vector<int> chunks = {0};
    std::vector<int> bands = {0};
    std::vector<int> row_first = {0};
    std::vector<int> unrolls = {0};
    std::vector<int> aheads = {0};
    static constexpr int kLists = 7;
  };

  Menu GeneratedMenu(const TuneProblem& p) const;
  Menu DirectMenu(const TuneProblem& p, const ConvBlockedF32Kernel& row) const;
  Menu GatheredMenu(const TuneProblem& p,
                    const ConvBlockedF32Kernel& row) const;
  Menu WinogradMenu(const TuneProblem& p,
                    const ConvBlockedF32Kernel& row) const;
  Menu DepthwiseMenu(const TuneProblem& p) const;
  const Menu* MenuOf(const std::string& primitive) const;
  static void Choose(const Menu& menu, int list, stint::Random* random,
                     ConvSchedule* schedule);

  std::vector<std::string> names_;
  std::vector<Menu> menus_;
};

}  // namespace stint
