#include <algorithm>

#include "core/tensor/element_access.h"
#include "engine/reference/movement/movement.h"

namespace stint {

Status Eval(const Slice&, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const auto ints = [&](int i) {
    return ctx.has(i) ? ElementsAs<int64_t>(ctx.in(i)) : std::vector<int64_t>();
  };
  STINT_ASSIGN_OR_RETURN(
      const auto ranges,
      ResolveSlice(x.shape(), ints(1), ints(2), ints(3), ints(4)));
  const std::vector<int64_t> own = StridesOf(x.shape());
  std::vector<int64_t> strides;
  int64_t start = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].count == 0) return OkStatus();
    strides.push_back(ranges[i].count > 1 ? own[i] * ranges[i].step : own[i]);
    start += own[i] * ranges[i].start;
  }
  CopyStrided(x, start, strides, ctx.out(0).shape(), &ctx.out(0));
  return OkStatus();
}

namespace {

// The source index of position i of a padded dimension, or -1 for the constant.
int64_t PadSource(int64_t i, int64_t size, const std::string& mode) {
  if (i >= 0 && i < size) return i;
  if (mode == "constant" || size == 0) return -1;
  if (mode == "edge") return i < 0 ? 0 : size - 1;
  if (mode == "wrap") return ((i % size) + size) % size;
  if (size == 1) return 0;
  const int64_t period = 2 * (size - 1);
  const int64_t folded = ((i % period) + period) % period;
  return folded < size ? folded : period - folded;
}

}  // namespace

Status Eval(const Pad& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  Tensor& out = ctx.out(0);
  STINT_ASSIGN_OR_RETURN(const auto pads,
                         ResolvePads(x.rank(), ElementsAs<int64_t>(ctx.in(1)),
                                     ctx.has(3) ? ElementsAs<int64_t>(ctx.in(3))
                                                : std::vector<int64_t>()));
  const size_t rank = x.shape().size();
  const std::vector<int64_t> own = StridesOf(x.shape());
  // Per dimension, where each output position reads from.
  std::vector<std::vector<int64_t>> sources(rank);
  for (size_t d = 0; d < rank; ++d) {
    for (int64_t i = 0; i < out.shape()[d]; ++i) {
      sources[d].push_back(PadSource(i - pads[d], x.shape()[d], op.mode));
    }
  }
  VisitStorage(x.dtype(), [&]<typename T>() {
    T fill{};
    if (ctx.has(2) && ctx.in(2).size() > 0) fill = ctx.in(2).data<T>()[0];
    std::vector<int64_t> index(rank, 0);
    for (int64_t o = 0; o < out.size(); ++o) {
      int64_t offset = 0;
      bool inside = true;
      for (size_t d = 0; d < rank; ++d) {
        const int64_t source = sources[d][index[d]];
        inside = inside && source >= 0;
        offset += source * own[d];
      }
      out.data<T>()[o] = inside ? x.data<T>()[offset] : fill;
      for (size_t d = rank; d-- > 0;) {
        if (++index[d] < out.shape()[d]) break;
        index[d] = 0;
      }
    }
  });
  return OkStatus();
}

}  // namespace stint
