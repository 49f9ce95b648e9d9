#include <algorithm>
#include <array>
#include <numeric>

#include "core/tensor/element_access.h"
#include "engine/reference/select/select.h"

namespace stint {
namespace {

struct Box {
  float y0, x0, y1, x1;
  float area() const { return (y1 - y0) * (x1 - x0); }
};

Box MakeBox(const float* v, bool center) {
  if (center) {
    return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  }
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]),
          std::max(v[1], v[3])};
}

bool Overlaps(const Box& a, const Box& b, float threshold) {
  const float height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  const float width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  if (!(height > 0) || !(width > 0)) return false;
  const float common = height * width;
  const float both = a.area() + b.area() - common;
  if (!(a.area() > 0) || !(b.area() > 0) || !(both > 0)) return false;
  return common / both > threshold;
}

// Boxes of one class, best score first, none overlapping a better one.
std::vector<int64_t> Suppress(const std::vector<Box>& boxes,
                              const float* scores,
                              std::vector<int64_t> candidates, int64_t limit,
                              float threshold) {
  std::sort(candidates.begin(), candidates.end(), [&](int64_t a, int64_t b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  });
  std::vector<int64_t> selected;
  for (int64_t candidate : candidates) {
    if (static_cast<int64_t>(selected.size()) >= limit) break;
    const bool keep =
        std::none_of(selected.begin(), selected.end(), [&](int64_t better) {
          return Overlaps(boxes[candidate], boxes[better], threshold);
        });
    if (keep) selected.push_back(candidate);
  }
  return selected;
}

}  // namespace

Status Eval(const NonMaxSuppression& op, EvalContext& ctx) {
  const Shape& shape = ctx.in(1).shape();  // [n, classes, boxes]
  const std::vector<float> corners = ElementsAs<float>(ctx.in(0));
  const std::vector<float> scores = ElementsAs<float>(ctx.in(1));
  const auto given = [&](int i) { return ctx.has(i) && ctx.in(i).size() > 0; };
  const int64_t limit = given(2) ? ScalarAs<int64_t>(ctx.in(2)) : 0;
  const float overlap = given(3) ? ScalarAs<float>(ctx.in(3)) : 0.0f;
  std::vector<std::array<int64_t, 3>> found;
  for (int64_t n = 0; n < shape[0]; ++n) {
    std::vector<Box> boxes;
    for (int64_t b = 0; b < shape[2]; ++b) {
      boxes.push_back(
          MakeBox(&corners[(n * shape[2] + b) * 4], op.center_point_box != 0));
    }
    for (int64_t c = 0; c < shape[1]; ++c) {
      const float* row = scores.data() + (n * shape[1] + c) * shape[2];
      std::vector<int64_t> candidates;
      for (int64_t b = 0; b < shape[2]; ++b) {
        const bool passes = !given(4) || row[b] > ScalarAs<float>(ctx.in(4));
        if (passes && row[b] == row[b]) candidates.push_back(b);
      }
      for (int64_t box :
           Suppress(boxes, row, std::move(candidates), limit, overlap)) {
        found.push_back({n, c, box});
      }
    }
  }
  const int64_t count = static_cast<int64_t>(found.size());
  STINT_RETURN_IF_ERROR(ctx.Allocate(0, DType::kInt64, {count, 3}));
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(found[i].begin(), 3, ctx.out(0).data<int64_t>() + 3 * i);
  }
  return OkStatus();
}

}  // namespace stint
