#include "weights/planes/cut_cell.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace stint {
namespace {

// An error at one bit less is about four times as large.
constexpr double kLevelWeight[4] = {0, 1.0 / 16, 1.0 / 4, 1};
constexpr int kCandidateSteps = WeightHistogram::kSteps / 2;

// Least weighted error of cells between candidate edges, level by level.
class CellCutter {
 public:
  CellCutter(const WeightHistogram& histogram, int begin, int end) {
    edges_.push_back(begin);
    for (int edge = (begin / kCandidateSteps + 1) * kCandidateSteps; edge < end;
         edge += kCandidateSteps) {
      edges_.push_back(edge);
    }
    edges_.push_back(end);
    n_ = edges_.size();
    std::vector<double> own(n_ * n_);
    for (size_t a = 0; a < n_; ++a) {
      for (size_t b = a; b < n_; ++b) {
        own[a * n_ + b] = histogram.BestError(edges_[a], edges_[b]);
      }
    }
    cost_[3] = own;
    Combine(2, 0, own);
    Combine(1, 0, own);
    Combine(0, n_ - 1, own);  // only the whole cell
  }

  std::array<int, 9> Edges() const {
    std::array<int, 9> to{};
    to[8] = edges_[n_ - 1];
    Put(0, 0, n_ - 1, to.data());
    return to;
  }

 private:
  // Cells of a level, those that end at candidate `first_end` or later.
  void Combine(int level, size_t first_end, const std::vector<double>& own) {
    cost_[level].resize(n_ * n_);
    cut_[level].resize(n_ * n_);
    const std::vector<double>& finer = cost_[level + 1];
    for (size_t a = 0; a < n_; ++a) {
      for (size_t b = std::max(a, first_end); b < n_; ++b) {
        double least = std::numeric_limits<double>::infinity();
        size_t best = a;
        for (size_t c = a; c <= b; ++c) {
          const double cost = finer[a * n_ + c] + finer[c * n_ + b];
          if (cost < least) {
            least = cost;
            best = c;
          }
        }
        cost_[level][a * n_ + b] =
            least + kLevelWeight[level] * own[a * n_ + b];
        cut_[level][a * n_ + b] = best;
      }
    }
  }

  // Writes the first edge of each of the cells of [a, b].
  void Put(int level, size_t a, size_t b, int* to) const {
    if (level == 3) {
      *to = edges_[a];
      return;
    }
    const size_t cut = cut_[level][a * n_ + b];
    Put(level + 1, a, cut, to);
    Put(level + 1, cut, b, to + (4 >> level));
  }

  std::vector<int> edges_;
  size_t n_ = 0;
  std::vector<double> cost_[4];
  std::vector<size_t> cut_[3];
};

}  // namespace

std::array<int, 9> CutCell(const WeightHistogram& histogram, int begin,
                           int end) {
  return CellCutter(histogram, begin, end).Edges();
}

}  // namespace stint
