#pragma once
// What the layers of one file took on one machine, for the input shapes that
// were rehearsed there: later sessions plan from it without rehearsing. Pure
// data and its text form.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/elastic/costs/layer_costs.h"
#include "stint/status.h"

namespace stint {

class ModelCosts {
 public:
  struct Point {
    int64_t batch = 1;
    int64_t elements = 0;  // of all inputs together
    // What binding and running adds to the process at most, without weights; 0:
    // not measured.
    int64_t memory_bytes = 0;
    LayerCosts costs;
  };

  // Of the shapes or, on a line, between neighbors of the same batch; nothing
  // where all points are too far away.
  std::optional<Point> At(int64_t batch, int64_t elements) const;
  // Times of a shape that is there become the quicker of both: what slows a
  // machine down for a while is not its cost.
  void Add(const Point& point);
  const std::vector<Point>& points() const { return points_; }
  // The same times, of which nobody knows what they take of memory.
  ModelCosts WithoutMemory() const;
  // How many times what is predicted the 95th percentile of runs took, lately;
  // 0: not known.
  double slowdown() const { return slowdown_; }
  void set_slowdown(double slowdown) { slowdown_ = slowdown; }
  // Whether every point has so many stages.
  bool HaveStages(size_t stages) const;

  // A line "slowdown S", if it is known. Lines "shape batch elements bytes
  // before after", each followed by one line "fixed ns ns ..." (2 to 8 bits)
  // per stage.
  std::string ToText() const;
  // kDamaged names the first line that is wrong.
  static Result<ModelCosts> Parse(std::string_view text);

 private:
  std::vector<Point> points_;  // by batch, then elements
  double slowdown_ = 0;
};

}  // namespace stint
