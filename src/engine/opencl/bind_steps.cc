#include <array>

#include "core/base/checked_math.h"
#include "engine/opencl/opencl_program.h"

namespace stint {
namespace {

size_t RoundUpTo(size_t count, size_t unit) {
  return (count + unit - 1) / unit * unit;
}

// Groups of light items are as wide as a short row and several rows high. Only
// a few widths, since some drivers compile a kernel for each.
std::array<size_t, 3> GroupShape(const OpenClLaunch& launch, size_t group) {
  if (!launch.light || launch.items[1] == 1) return {group, 1, 1};
  for (size_t width : {4, 16, 64}) {
    if (static_cast<size_t>(launch.items[0]) <= width && group % width == 0) {
      return {width, group / width, 1};
    }
  }
  return {group, 1, 1};
}

class Binder {
 public:
  Binder(const OpenClDevice& device, OpenClProgram* program)
      : device_(device), program_(program) {}

  Status Place(const OpenClDraft& draft);
  Result<BoundOpenClStep> Bind(const OpenClStep& step);

 private:
  Status SetArgument(const OpenClLaunch& launch, size_t i, cl_kernel kernel,
                     size_t group);
  cl_mem Memory(BufferNumber number) const {
    return program_->buffers[static_cast<size_t>(number.index)].get();
  }

  const OpenClDevice& device_;
  OpenClProgram* program_;
};

Status Binder::Place(const OpenClDraft& draft) {
  std::vector<BufferLife> lives = draft.lives;
  // Then every place is a multiple of the alignment, too.
  for (BufferLife& life : lives) {
    life.bytes = RoundUp(life.bytes, device_.alignment_bytes());
  }
  const MemoryPlan plan = PlanMemory(lives);
  program_->arena_bytes = plan.arena_bytes;
  const bool joint = plan.arena_bytes <= device_.max_buffer_bytes();
  OpenClBuffer arena;
  if (joint) {
    STINT_ASSIGN_OR_RETURN(arena, device_.Allocate(plan.arena_bytes));
  }
  for (const OpenClDraft::Buffer& buffer : draft.buffers) {
    if (buffer.life < 0) {
      program_->buffers.push_back(buffer.fixed);
      continue;
    }
    const auto life = static_cast<size_t>(buffer.life);
    STINT_ASSIGN_OR_RETURN(
        OpenClBuffer made,
        joint ? device_.Piece(arena, plan.offsets[life], lives[life].bytes)
              : device_.Allocate(lives[life].bytes));
    program_->buffers.push_back(std::move(made));
  }
  return OkStatus();
}

Status Binder::SetArgument(const OpenClLaunch& launch, size_t i,
                           cl_kernel kernel, size_t group) {
  const OpenClArgument& argument = launch.arguments[i];
  const auto index = static_cast<cl_uint>(i);
  const auto set = [&](size_t bytes, const void* value) {
    return OpenClStatus(
        device_.api().clSetKernelArg(kernel, index, bytes, value),
        "argument " + std::to_string(i) + " of kernel " + launch.kernel);
  };
  if (const auto* buffer = std::get_if<BufferNumber>(&argument)) {
    const cl_mem memory = Memory(*buffer);
    return set(sizeof(memory), &memory);
  }
  if (const auto* local = std::get_if<LocalFloats>(&argument)) {
    return set(static_cast<size_t>(local->per_item) * group * sizeof(cl_float),
               nullptr);
  }
  return std::visit(
      [&](const auto& value) { return set(sizeof(value), &value); }, argument);
}

Result<BoundOpenClStep> Binder::Bind(const OpenClStep& step) {
  const OpenClLaunch& launch = step.launch;
  BoundOpenClStep bound;
  bound.node = step.node;
  STINT_ASSIGN_OR_RETURN(bound.kernel, device_.MakeKernel(launch.kernel));
  STINT_ASSIGN_OR_RETURN(const size_t group,
                         device_.GroupItems(bound.kernel.get(), launch.light));
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    STINT_RETURN_IF_ERROR(SetArgument(launch, i, bound.kernel.get(), group));
  }
  for (size_t d = 0; d < 3; ++d) {
    bound.items[d] = static_cast<size_t>(launch.items[d]);
  }
  bound.group = GroupShape(launch, group);
  if (launch.counts_groups) bound.items[0] *= group;
  for (size_t d = 0; d < 2; ++d) {
    bound.items[d] = RoundUpTo(bound.items[d], bound.group[d]);
  }
  return bound;
}

}  // namespace

Status BindSteps(const OpenClDevice& device, const OpenClDraft& draft,
                 OpenClProgram* program) {
  Binder binder(device, program);
  STINT_RETURN_IF_ERROR(binder.Place(draft));
  for (const OpenClStep& step : draft.steps) {
    STINT_ASSIGN_OR_RETURN(BoundOpenClStep bound, binder.Bind(step));
    program->steps.push_back(std::move(bound));
  }
  return OkStatus();
}

}  // namespace stint
