// Ops that move elements.

#include <algorithm>

#include "engine/opencl/node_lowering.h"
#include "engine/opencl/strided.h"

namespace stint {
namespace {

// Output i, element by element, from input 0 at `start` with `steps`.
Status AddGather(int i, const std::vector<int64_t>& steps, int64_t start,
                 NodeLowering* node) {
  STINT_ASSIGN_OR_RETURN(const Strided strided,
                         MergeForKernels(node->out(i), {steps}));
  const StridedRuns split = SplitRuns(strided);
  STINT_ASSIGN_OR_RETURN(const BufferNumber x, node->Input(0));
  node->Launch(
      {"gather_strided",
       {x, node->Output(i), split.length, split.runs, split.steps[0],
        split.outer.dims, split.outer.steps[0],
        static_cast<cl_int>(split.outer.rank), static_cast<cl_int>(start)},
       {split.length, split.runs, 1},
       false,
       true});
  return OkStatus();
}

// Rows of a tensor that is cut along an axis: how many, and the elements behind
// one position of the axis.
struct Rows {
  int64_t count;
  int64_t inner;
};
Rows RowsOf(const Shape& dims, int64_t axis) {
  return {ProductOf(dims.data(), dims.data() + axis),
          ProductOf(dims.data() + axis + 1, dims.data() + dims.size())};
}

}  // namespace

Status LowerView(NodeLowering* node) { return node->Alias(0, 0); }

Status LowerTranspose(NodeLowering* node) {
  const auto rank = static_cast<int64_t>(node->in(0).size());
  STINT_ASSIGN_OR_RETURN(const auto perm,
                         Permutation(node->op<Transpose>(), rank));
  const std::vector<int64_t> own = StridesOf(node->in(0));
  std::vector<int64_t> steps;
  for (int64_t d : perm) steps.push_back(own[static_cast<size_t>(d)]);
  return AddGather(0, steps, 0, node);
}

Status LowerExpand(NodeLowering* node) {
  return AddGather(0, BroadcastStrides(node->out(), node->in(0)), 0, node);
}

Status LowerSlice(NodeLowering* node) {
  std::vector<int64_t> lists[4];
  for (int i = 0; i < 4; ++i) {
    STINT_ASSIGN_OR_RETURN(lists[i], node->Ints(i + 1));
  }
  STINT_ASSIGN_OR_RETURN(
      const auto ranges,
      ResolveSlice(node->in(0), lists[0], lists[1], lists[2], lists[3]));
  std::vector<int64_t> steps = StridesOf(node->in(0));
  int64_t start = 0;
  for (size_t d = 0; d < steps.size(); ++d) {
    start += ranges[d].start * steps[d];
    steps[d] *= ranges[d].step;
  }
  return AddGather(0, steps, start, node);
}

Status LowerSplit(NodeLowering* node) {
  STINT_ASSIGN_OR_RETURN(
      const int64_t axis,
      NormalizeAxis(node->op<Split>().axis,
                    static_cast<int64_t>(node->in(0).size())));
  const std::vector<int64_t> steps = StridesOf(node->in(0));
  int64_t start = 0;
  for (int i = 0; i < static_cast<int>(node->node().outputs.size()); ++i) {
    if (!node->wants(i)) {
      return Unsupported("output " + std::to_string(i) + " is left out");
    }
    STINT_RETURN_IF_ERROR(AddGather(i, steps, start, node));
    start += node->out(i)[static_cast<size_t>(axis)] *
             steps[static_cast<size_t>(axis)];
  }
  return OkStatus();
}

Status LowerConcat(NodeLowering* node) {
  STINT_ASSIGN_OR_RETURN(
      const int64_t axis,
      NormalizeAxis(node->op<Concat>().axis,
                    static_cast<int64_t>(node->out().size())));
  STINT_RETURN_IF_ERROR(CountOf(node->out()).status());
  const Rows rows = RowsOf(node->out(), axis);
  const int64_t pitch = node->out()[static_cast<size_t>(axis)] * rows.inner;
  int64_t offset = 0;
  for (int i = 0; i < node->num_inputs(); ++i) {
    STINT_ASSIGN_OR_RETURN(const BufferNumber x, node->Input(i));
    const int64_t width = node->in(i)[static_cast<size_t>(axis)] * rows.inner;
    OpenClLaunch launch;
    launch.kernel = "copy_rows";
    launch.light = true;
    launch.items = {width, rows.count, 1};
    launch.arguments = {x,
                        node->Output(),
                        static_cast<cl_int>(width),
                        static_cast<cl_int>(rows.count),
                        static_cast<cl_int>(pitch),
                        static_cast<cl_int>(offset)};
    node->Launch(std::move(launch));
    offset += width;
  }
  return OkStatus();
}

Status LowerPad(NodeLowering* node) {
  constexpr std::string_view kModes[] = {"constant", "reflect", "edge", "wrap"};
  const std::string& mode = node->op<Pad>().mode;
  const auto found = std::find(std::begin(kModes), std::end(kModes), mode);
  const size_t rank = node->in(0).size();
  if (found == std::end(kModes) || rank > Int8().size()) {
    return Unsupported("OpenCL has no kernel for mode '" + mode + "' of rank " +
                       std::to_string(rank));
  }
  STINT_ASSIGN_OR_RETURN(const auto asked, node->Ints(1));
  STINT_ASSIGN_OR_RETURN(const float value, node->Number(2, 0));
  STINT_ASSIGN_OR_RETURN(const auto axes, node->Ints(3));
  STINT_ASSIGN_OR_RETURN(const auto pads,
                         ResolvePads(static_cast<int64_t>(rank), asked, axes));
  STINT_ASSIGN_OR_RETURN(const cl_int size, CountOf(node->out()));
  STINT_ASSIGN_OR_RETURN(const BufferNumber x, node->Input(0));
  Int8 out{}, in{}, before{};
  for (size_t d = 0; d < rank; ++d) {
    out[d] = static_cast<cl_int>(node->out()[d]);
    in[d] = static_cast<cl_int>(node->in(0)[d]);
    before[d] = static_cast<cl_int>(pads[d]);
  }
  node->Launch(
      {"pad",
       {x, node->Output(), size, out, in, before, static_cast<cl_int>(rank),
        static_cast<cl_int>(found - std::begin(kModes)), value},
       {size, 1, 1},
       false,
       true});
  return OkStatus();
}

}  // namespace stint
